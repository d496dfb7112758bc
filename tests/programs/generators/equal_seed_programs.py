"""Random programs that seed streams with the same few numbers, and draw from them: directly, in helpers, branches and loops."""

from hypothesis import strategies as st


@st.composite
def equal_seed_programs(draw):
    """A program whose `main` returns all that it draws."""
    return program(lambda below: draw(st.integers(0, below - 1)))


def program(below):
    """A program made by choices: `below(n)` is a number in range(n)."""
    return Maker(below).program()


class Maker:
    def __init__(self, below):
        self.below = below
        self.generators = []
        self.count = 0

    def pick(self, *options):
        return options[self.below(len(options))]

    def default(self):
        """The statements that create the generator that a caller does not give."""
        made = f"np.random.default_rng({self.seed()})"
        return self.pick([f"rng = {made} if rng is None else rng"], ["if rng is None:", f"    rng = {made}"])

    def draws(self, stream, size, least=1, call=""):
        """The body of a helper: draws from a stream, or calls, perhaps one of them in a branch or a loop."""
        lines = ["out = []"]
        for _ in range(least + self.below(2)):
            one = f"out.append({self.pick(self.drawn(stream, size), call or self.drawn(stream, size))})"
            way = self.below(8)
            if way == 0:
                lines += ["if flag:", f"    {one}"]
            elif way == 1:
                lines += [f"for _ in range({self.pick(1, 2)}):", f"    {one}"]
            else:
                lines.append(one)
        return [*lines, "return out"]

    def drawn(self, stream, size):
        return f"{stream}.{self.pick('normal', 'normal', 'normal', 'uniform')}(size={size})"

    def function(self, head, lines):
        return [f"def {head}:", *(f"    {line}" for line in lines), "", ""]

    def helpers(self):
        size = self.pick("n", "n", "3")
        lines = self.function("plain(n, flag)", self.draws("np.random", "n"))
        lines += self.function("other(n, flag)", self.draws("np.random", size))
        lines += self.function("given(rng, n, flag)", self.draws("rng", "n"))
        lines += self.function("fresh(seed, n, flag)", [f"rng = np.random.{self.kind()}(seed)", *self.draws("rng", "n")])
        lines += self.function("again(seed, n, flag)", ["np.random.seed(seed)", *self.draws("np.random", size)])
        lines += self.function("chain(rng, n, flag)", self.draws("rng", "n", call="given(rng, n, flag)"))
        lines += self.function("outer(n, flag)", self.draws("np.random", "n", call="other(n, flag)"))
        lines += self.function("usual(n, rng=None)", [*self.default(), "return [rng.normal(size=n), rng.normal(size=n)]"])
        lines += self.function("restart(seed)", ["np.random.seed(seed)"])
        lines += self.function("make(seed)", [f"return np.random.{self.kind()}(seed)"])
        lines += ["class Model:", "    def __init__(self, seed):", f"        self.rng = np.random.{self.kind()}(seed)", ""]
        for name in ("one", "two"):
            lines += [
                f"    def {name}(self, n, flag):",
                *(f"        {line}" for line in self.draws("self.rng", "n")),
                "",
            ]
        return [*lines, ""]

    def kind(self):
        return self.pick("default_rng", "default_rng", "RandomState")

    def seed(self):
        return self.pick("1", "1", "2")

    def size(self):
        return self.pick("2", "2", "4")

    def name(self):
        self.count += 1
        return f"r{self.count}"

    def statement(self, deep):
        flag, size = self.pick("True", "False"), self.size()
        match self.below(20):
            case 0 | 1:
                return [f"np.random.seed({self.seed()})"]
            case 2 | 3:
                rng = self.pick(self.name(), *[g for g in self.generators if g[0] == "r"][-1:]) if not deep else self.name()
                return self.made(rng, f"np.random.{self.kind()}({self.seed()})", deep)
            case 4:
                return self.made(self.name(), f"make({self.seed()})", deep)
            case 5:
                return self.made(self.name(), f"Model({self.seed()})", deep, "m")
            case 6:
                return [f"restart({self.seed()})"]
            case 7:
                return [f"out.append({self.pick('fresh', 'again')}({self.seed()}, {size}, {flag}))"]
            case 8:
                return [f"out.append({self.pick('plain', 'other')}({size}, {flag}))"]
            case 9 if not deep:
                return [f"if {flag}:", *self.block(True)]
            case 10 if not deep:
                return [f"for _ in range({self.pick('1', '2')}):", *self.block(True)]
            case 14:
                return [f"x = {self.pick('fresh', 'again')}({self.seed()}, {size}, {flag})", "out.append(x)"]
            case 15:
                return [f"out.append({self.pick(f'outer({size}, {flag})', f'usual({size})')})"]
            case 16 if not deep:
                seeds = self.pick("(1, 2)", "(1, 2, 1)", "range(2)")
                return [f"for s in {seeds}:", f"    out.append({self.pick('fresh', 'again')}(s, {size}, {flag}))"]
            case 11:
                return [f"out.append([{self.drawn('np.random', size)} for _ in range(2)])"]
            case 12 | 13 if self.generators:
                rng = self.pick(*self.generators)
                if rng.startswith("m"):
                    return [f"out.append({rng}.{self.pick('one', 'two')}({size}, {flag}))"]
                call = f"{self.pick('given', 'chain')}({rng}, {size}, {flag})"
                return [f"out.append({self.pick(self.drawn(rng, size), call)})"]
        return [f"out.append({self.drawn('np.random', size)})"]

    def made(self, name, value, deep, prefix=""):
        name = prefix + name
        if deep:  # it may not exist afterwards
            return [f"{name} = {value}", f"out.append({name}.{'one(2, True)' if prefix else 'normal(size=2)'})"]
        self.generators = [*(g for g in self.generators if g != name), name]
        return [f"{name} = {value}"]

    def block(self, deep):
        lines = [line for _ in range(1 + self.below(2)) for line in self.statement(deep)]
        return [f"    {line}" for line in lines]

    def program(self):
        helpers = self.helpers()
        lines = ["out = []", f"np.random.seed({self.seed()})"]
        for _ in range(2 + self.below(6)):
            lines += self.statement(False)
        main = self.function("main()", [*lines, "return out"])
        return "\n".join(["import numpy as np", "", "", *helpers, *main]).rstrip() + "\n"
