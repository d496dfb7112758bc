"""Random branches on scalars: variables that are read and bound alternately, in one arm or both, some of them dead afterwards."""

import random

NAMES = ("a", "b", "c", "d")


def program(seed):
    """A function of two vectors. By seed: no loop, a loop that carries scalars, or a loop with independent iterations."""
    choose = random.Random(seed)
    head = "import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n"
    form = seed % 4
    if form < 2:
        head += "    a = x[0]\n    b = x[1]\n    c = y[0]\n    d = y[1]\n"
        result = ", ".join(choose.sample(NAMES, choose.randint(1, 3)))
        if form == 0:
            again = branch(choose, "    ") if choose.random() < 0.4 else ""
            return f"{head}{branch(choose, '    ')}{others(choose, 3, '    ')}{again}    return {result}\n"
        item = f"        {choose.choice(NAMES)} = x[i]\n" if choose.random() < 0.5 else ""
        iteration = f"{item}{branch(choose, '        ')}{others(choose, 2, '        ')}"
        return f"{head}    for i in range(x.shape[0]):\n{iteration}    return {result}\n"
    head += "    out = np.zeros(x.shape[0])\n    s = 0.0\n    d = 0.0\n    c = 0.0\n    for i in range(x.shape[0]):\n"
    head += "        a = x[i]\n        b = y[i]\n        c = a * 2\n        d = b + 1\n" + branch(choose, "        ")
    if form == 2:
        return f"{head}{others(choose, 2, '        ')}        out[i] = {value(choose)}\n    return out\n"
    return f"{head}        s += {value(choose)}\n        out[i] = {choose.choice(NAMES)}\n    return out, s\n"


def value(choose):
    a, b, c = (choose.choice(NAMES) for _ in range(3))
    return choose.choice((f"{a} {choose.choice('+-*')} {b}", f"{a} * 2", f"0.5 + {a}", f"{a} * {b} + {c}", f"-{a}"))


def others(choose, most, indent):
    """Bindings after a branch, which make some of those inside it dead."""
    return "".join(f"{indent}{name} = {value(choose)}\n" for name in choose.sample(NAMES, choose.randint(0, most)))


def statement(choose):
    name, other, kind = choose.choice(NAMES), choose.choice(NAMES), choose.random()
    if kind < 0.2:
        return f"{name} {choose.choice('+-*')}= {other}"
    if kind < 0.3 and name != other:
        return f"{name}, {other} = {choose.choice(NAMES)}, {value(choose)}"
    if kind < 0.35:
        return f"t = {value(choose)}; {name} = t + {other}"
    return f"{name} = {value(choose)}"


def branch(choose, indent):
    def side(head):
        return f"{indent}{head}:\n" + "".join(f"{indent}    {statement(choose)}\n" for _ in range(choose.randint(1, 3)))

    text = side(f"if {choose.choice(NAMES)} > {choose.choice((*NAMES, '0.3'))}")
    if choose.random() < 0.25:
        text += side(f"elif {choose.choice(NAMES)} < {choose.choice(NAMES)}")
    return text + side("else") if choose.random() < 0.6 else text
