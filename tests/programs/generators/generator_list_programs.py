"""Random programs that draw from generators in lists and dicts: all numbers differ, and NumPy makes the same number of draws."""

import random

HEAD = """import numpy as np


def one(rng):
    return rng.normal()


def at(rngs, k):
    return rngs[k].normal() - rngs[k].uniform()


class Pool:
    def __init__(self, seed, n):
        self.rngs = np.random.default_rng(seed).spawn(n)
        self.named = {"a": np.random.default_rng(seed + 1), "b": np.random.default_rng(seed)}
        self.k = 0

    def draw(self, k):
        self.k += 1
        return self.rngs[k % len(self.rngs)].normal()

    def every(self):
        return [self.draw(k) for k in range(len(self.rngs))]


"""
INDICES = ("0", "-1", "i", "n - 1", "i % n", "order[i]", "len(rngs) - 1", "-i - 1", "pool.k % n")
LISTS = ("rngs", "rngs", "pool.rngs", "children")
KEYS = ('"a"', '"b"', "names[i % 2]")
DICTS = ("named", "pool.named")


class Program:
    """One program: `f(n)` returns everything that it drew."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0

    def text(self):
        body = [
            "rngs = [np.random.default_rng(s + 3) for s in range(n)]",
            "children = np.random.default_rng(99).spawn(n)",
            'named = {name: np.random.default_rng(99 - k) for k, name in enumerate("ab")}',
            "pool, order, names, i, found = Pool(70, n), list(range(n))[::-1], ['a', 'b'], 0, []",
            "seeds = np.random.SeedSequence(98)",
            *self.block(3, 4),
            "return found",
        ]
        return HEAD + "def f(n):\n" + "".join(f"    {line}\n" for line in body)

    def element(self):
        if self.random.random() < 0.3:
            return f"{self.random.choice(DICTS)}[{self.random.choice(KEYS)}]"
        return f"{self.random.choice(LISTS)}[{self.random.choice(INDICES)}]"

    def drawn(self):
        return f"{self.element()}.{self.random.choice(['normal()', 'uniform()', 'exponential(2.0)', 'normal(size=2).sum()'])}"

    def block(self, depth, most):
        return [line for _ in range(self.random.randint(1, most)) for line in self.statement(depth)]

    def statement(self, depth):
        self.names += 1
        name = f"v{self.names}"
        simple = [
            [f"found.append({self.drawn()})"],
            [f"{name} = {self.drawn()}", f"found.append({name} + {self.drawn()})"],
            [f"found.append(one({self.element()}))"],
            [f"found.append(at({self.random.choice(LISTS)}, {self.random.choice(INDICES)}))"],
            [f"{name} = {self.element()}", f"found += [{name}.normal(), {name}.uniform()]"],
            ["found.append(pool.draw(i))"],
            [f"found.append({self.element()}.spawn(2)[1].normal())"],
            [f"{name} = {self.element()}.spawn(2)", f"found += [one({name}[0]), {name}[1].normal()]"],
            [f"found.append(one(np.random.default_rng(seeds.spawn(1)[0])) + {self.drawn()})"],
            ["found += [np.random.default_rng(seeds.spawn(1)[0]).normal() for _ in range(n)]"],
            ["found += pool.every()"],
        ]
        if depth == 0 or self.random.random() < 0.5:
            return self.random.choice(simple)
        inner = [f"    {line}" for line in self.block(depth - 1, 2)]
        held, index = self.random.choice(LISTS), self.random.choice(("i", f"i{self.names}"))
        headers = [
            [f"for {index} in range(n):", *inner],
            [f"for {name} in {held}:", f"    found.append({name}.normal())", *inner],
            [f"for {index}, {name} in enumerate({held}):", f"    found.append({name}.normal() + {name}.uniform())", *inner],
            [f"for {name}, g{name} in {self.random.choice(DICTS)}.items():", f"    found.append(g{name}.normal())", *inner],
            [f"for {name} in named:", f"    found.append(named[{name}].normal())", *inner],
            ["if len(found) % 2 == 0:", *inner, "else:", f"    found.append({self.drawn()})"],
            [f"if {self.drawn()} < 99.0:", *inner],
            [f"def {name}(i):", *inner, "    return found", f"{name}(0)"],
        ]
        return self.random.choice(headers)


def program(seed):
    """The text of a program."""
    return Program(seed).text()
