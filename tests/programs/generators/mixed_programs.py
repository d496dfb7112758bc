"""Random loops over two vectors: scalars read and bound in any order, branches, `continue`, `break`, inner loops, stores."""

import random

NAMES = ("a", "b", "c", "d")
FORMS = (
    *("{} + {}", "{} - {}", "{} * {}", "0.5 * {}", "{} + 1", "-{}", "{}", "({} + {}) / 2", "{} * {} - {}"),
    *("max({}, {})", "abs({})", "np.sqrt(abs({}))", "min({}, 2.0)"),
)
TESTS = ("{} > {}", "{} < 0.4", "{} >= {}", "{} > 0 and {} < 1", "{} > 1 or {} < {}", "not {} > 0")
LOOPS = ("for i in range(n):", "for i in range(n):", "for i in range(n - 1, -1, -1):", "for i in range(1, n):", "")


class Writer:
    """Writes one program: `choose` draws, `items` are the indices that may be read."""

    def __init__(self, choose):
        self.choose = choose

    def filled(self, form, items):
        read = (*NAMES, *NAMES, "x[{}]", "y[{}]")
        while "{}" in form:
            form = form.replace("{}", self.choose.choice(read).format(self.choose.choice(items)), 1)
        return form

    def value(self, items):
        return self.filled(self.choose.choice(FORMS), items)

    def test(self, items):
        return self.filled(self.choose.choice(TESTS), items)

    def block(self, items, indent, depth, inner, stores, most):
        count = self.choose.randint(1, most)
        return "".join(self.statement(items, indent, depth, inner, stores) for _ in range(count))

    def statement(self, items, indent, depth, inner, stores):
        choose, kind, name = self.choose, self.choose.random(), self.choose.choice(NAMES)
        if kind < 0.42:
            return f"{indent}{name} {choose.choice(('=', '=', '=', '+=', '-=', '*='))} {self.value(items)}\n"
        if kind < 0.48:
            other = choose.choice([n for n in NAMES if n != name])
            return f"{indent}{name}, {other} = {self.value(items)}, {self.value(items)}\n"
        if kind < 0.60 and stores:
            target = choose.choice((f"out[{items[0]}]", "s"))
            return f"{indent}{target} {choose.choice(('=', '+=')) if target != 's' else '+='} {self.value(items)}\n"
        if kind < 0.64:
            return f"{indent}t = {self.value(items)}\n{indent}{name} = t + {choose.choice(NAMES)}\n"
        if kind < 0.68 and inner and depth < 2:
            j, iterations = "jk"[depth], choose.choice(("n", "2", "n - 1", "1, n"))
            return f"{indent}for {j} in range({iterations}):\n" + self.block(
                [j, *items], f"{indent}    ", depth + 1, False, False, 2
            )
        if kind < 0.92 and depth < 3:
            return self.branch(items, indent, depth, inner, stores)
        if kind < 0.95 and inner and stores:
            return f"{indent}if {self.test(items)}:\n{indent}    {choose.choice(('continue', 'continue', 'break'))}\n"
        return f"{indent}{name} = {self.value(items)}\n"

    def branch(self, items, indent, depth, inner, stores):
        def side(head, most):
            return f"{indent}{head}:\n" + self.block(items, f"{indent}    ", depth + 1, inner, stores, most)

        text = side(f"if {self.test(items)}", 3)
        if self.choose.random() < 0.2:
            text += side(f"elif {self.test(items)}", 2)
        return text + side("else", 3) if self.choose.random() < 0.5 else text


def program(seed):
    choose = random.Random(seed)
    writer = Writer(choose)
    text = (
        "import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    n = x.shape[0]\n    out = np.zeros(n)\n    s = 0.0\n"
    )
    text += "".join(f"    {name} = {choose.choice(('0.0', '1.0', 'x[0]', 'y[1]', '0.5'))}\n" for name in NAMES)
    loop = choose.choice(LOOPS)
    items = ["i", "i - 1", "i"] if loop == "for i in range(1, n):" else ["i", "i", "0"]
    own = choose.sample(NAMES, choose.randint(0, 4))
    iteration = "".join(f"        {name} = {choose.choice(('x[i]', 'y[i]', '0.0', 'x[i] * 2'))}\n" for name in own)
    iteration += writer.block(items, "        ", 0, bool(loop), True, 5)
    text += f"    {loop}\n{iteration}" if loop else f"    i = 0\n    while i < n and a < 50.0:\n{iteration}        i += 1\n"
    if choose.random() < 0.3:
        text += writer.block(["0", "1"], "    ", 2, False, True, 2)
    return text + f"    return {', '.join(['out', 's', *choose.sample(NAMES, choose.randint(0, 3))])}\n"
