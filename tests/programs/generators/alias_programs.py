"""Random programs with several names for one array: views, rows, copies and numbers, changed in place, in branches and loops."""

import random

NAMES = ("u", "v", "w")
STARTS = ("x * 1", "x", "y", "y[0]", "y[0] * 2", "np.ones(3)", "y * 1.0", "x[1:]", "0.5", "x.copy()", "x[0]")
BINDINGS = (  # {a} and {b}: two names; {i}: an index
    *("{a} = {b}", "{a} = {b}", "{a} = {b}[1:]", "{a} = {b}[{i}]", "{a} = {b}[{i}] * 2", "{a} = {b} * 2", "{a} = x"),
    *("{a} = y[{i}]", "{a} = y[{i}] + 1", "{a} = x[{i}]", "{a} = {b}.copy()", "{a} = y[:, 0]", "{a} = y[:, 1]", "{a} = {b}.T"),
    *("{a} = np.sum({b})", "{a} = {b}.sum(axis=0)", "{a} = np.asarray({b})", "{a} = np.array({b})", "{a} = {b}.ravel()"),
    *("{a} = {b}.reshape(-1)", "{a} = -{b}", "{a} = {b} if s > 1 else {a}", "{a} = np.abs({b})", "{a} = np.zeros(3)"),
    *("{a} = 0.5", "{a} = {b}[::-1]", "{a} = np.maximum({b}, 0)", "u, v, w = y", "u, v, w = y * 2", "u, v, w = y.T"),
    *("u, v, w = z = y + 1", "u, v, w = z = np.ones((3, 3))"),
)
CHANGES = (
    *("{a} += 1.0", "{a} *= 2", "{a} -= {b}", "{a} += {b}", "{a}[0] = 5.0", "{a}[{i}] += 1", "{a}[1:] = 0.5", "{a}[:] = {b}"),
    *("{a}[...] = 2.0", "{a} = {a} + 1", "x[{i}] = 3.0", "y[{i}] = 1.0", "y[{i}] += {b}", "x += 1", "{a}[{a} > 1] = 0.0"),
    *("s = {a}.sum()", "s += np.sum({a})", "z[0] = {a}", "z *= 2", "out.append({a}.sum())", "put({a}, {b})", "{a} = got({b})"),
    "np.add({a}, {b}, out={a})",
)
FUNCTIONS = "def put(a, b):\n    a += b\n\n\ndef got(a):\n    return a\n"
PARAMETERS = ("x: np.ndarray, y: np.ndarray", "x, y", "x: np.ndarray, y")


def _filled(choose, form, in_loop):
    a, b = choose.sample(NAMES, 2)
    return form.format(a=a, b=b, i=choose.choice(("0", "1", "-1", *(["i"] * 3 if in_loop else ()))))


def _statement(choose, indent, depth, in_loop):
    kind = choose.random()
    if kind < 0.42:
        return f"{indent}{_filled(choose, choose.choice(BINDINGS), in_loop)}\n"
    if kind < 0.86 or depth > 1:
        return f"{indent}{_filled(choose, choose.choice(CHANGES), in_loop)}\n"
    inside = f"{indent}    "
    text = f"{indent}if s {choose.choice('<>')} {choose.choice('013')}:\n"
    text += "".join(_statement(choose, inside, depth + 1, in_loop) for _ in range(choose.randint(1, 2)))
    return text + (f"{indent}else:\n{_statement(choose, inside, depth + 1, in_loop)}" if choose.random() < 0.4 else "")


def program(seed):
    choose = random.Random(seed)
    text = f"import numpy as np\n\n\n{FUNCTIONS}\n\ndef f({choose.choice(PARAMETERS)}):\n    s = 1.0\n    z = y * 0.5\n    out = []\n"
    text += "".join(f"    {name} = {choose.choice(STARTS)}\n" for name in NAMES)
    if choose.random() < 0.45:
        iteration = "".join(_statement(choose, "        ", 1, True) for _ in range(choose.randint(1, 4)))
        text += f"    for i in range(2):\n{iteration}"
    text += "".join(_statement(choose, "    ", 0, False) for _ in range(choose.randint(1, 5)))
    back = choose.sample((*NAMES, "s", "z"), choose.randint(1, 4)) + (["out"] if "out.append" in text else [])
    return text + f"    return {', '.join(back)}\n"
