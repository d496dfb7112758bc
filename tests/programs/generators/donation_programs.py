"""Random programs that print and call functions which change arrays: some arguments may be donated, others must not."""

import random

FUNCTIONS = """\
import numpy as np


def step(u, c):
    u[1:-1] += c * (u[:-2] - 2 * u[1:-1] + u[2:])


def both(u, v):
    u[0] = v[1]
    v += u


def fill(u, v):
    u[:] = v


def given(u, c):
    u[-1] = c
    return u


def total(u, c):
    u *= c
    return u.sum()


def keep(u):
    return u


def fresh(n):
    return np.arange(n) * 0.5


def twice(n):
    return np.zeros(n), np.ones(n)


def show(u):
    print(u.sum())


"""
STARTS = (
    "{a} = np.zeros(n)",
    "{a} = np.ones(n)",
    "{a} = np.linspace(0.0, 1.0, n)",
    "{a} = np.full(n, 2.0)",
    "{a} = np.full_like(x, x)",
    "{a} = np.array(x)",
    "{a} = np.copy(x)",
    "{a} = x * 2",
    "{a} = x.copy()",
    "{a} = x.astype(float)",
    "{a} = fresh(n)",
    "{a} = keep(x)",
    "{a} = np.asarray(x)",
)
ITERATIONS = (
    "step({a}, 0.1)",
    "step({a}, 0.1)",
    "step({a}, {b}[0])",
    "both({a}, {b})",
    "fill({a}, {b})",
    "{a} = given({a}, t)",
    "{b} = given({a}, t)",
    "s += total({a}, 0.9)",
    "s = total({a}, 0.9)",
    "given({a}, s)",
    "{a} = step2({a})",
    "{a}, {b} = {b}, {a}",
    "{a} = {b}.copy()",
    "{a} = {b}",
    "{a}[:] = {b}",
    "{a}[0:] = {b}",
    "{a}[...] = 0.5 * {b}",
    "{a}[1:] = {b}[1:]",
    "{a} += {b}",
    "{a} = {a} + {b}",
    "{a} = np.array({b})",
    "{a} = np.where({b} > 0, {b}, {a})",
    "{a} = np.concatenate([{b}])",
    "{a} = {b}.astype(float)",
    "{a} = keep({b})",
    "{a}, {b} = twice(n)",
    "held.append({a}.copy())",
    "if t % 2:\n            held.append({a}.copy())",
    "if t > 1:\n            {b} = {a}.copy()",
    "held.append({a} * 1)",
    "held.append({a})",
    "held.append({a}[:])",
    "held.append(np.abs({a}))",
    "held.append({a}.T)",
    "held.append({a}.reshape(-1))",
    "show({a})",
    "print({a}.max(), {a}[0])",
    "s += np.sum({a}) + {a}[2]",
    "old = {a}\n        print(old[0])",
    "if {a}[0] > {b}[0]:\n            step({a}, 0.2)",
    "d = np.abs({a} - {b}).max()\n        if d > 1e6:\n            break",
)
ENDS = ("return u, v, s", "return u, s", "return u, v, held, s", "return held, s", "return x, u, v, s")


def program(seed):
    choose = random.Random(seed)
    names = ("u", "v")

    def line(options):
        a = choose.choice(names)
        return choose.choice(options).format(a=a, b=names[a == "u"])

    start = [choose.choice(STARTS).format(a=a) for a in names]
    iterations = [line(ITERATIONS) for _ in range(choose.randint(1, 4))]
    iterations.insert(choose.randint(0, len(iterations)), f"step({choose.choice(names)}, 0.05)")
    after = [line(ITERATIONS[:3]).replace("t", "t")] if choose.random() < 0.3 else []
    text = "\n    ".join(["s = 0.0", "held = []", *start])
    loop = "\n        ".join(["print(t)", *iterations])
    close = "\n    ".join([*after, choose.choice(ENDS)])
    functions = FUNCTIONS + "def step2(u):\n    return u * 0.5 + 1\n\n\n"
    return f"{functions}def f(x):\n    n = x.shape[0]\n    {text}\n    for t in range(4):\n        {loop}\n    {close}\n"
