"""Random classes with a loop in a method: methods of children, properties, attributes that share arrays, attributes bound late."""

import random

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run
from np2jax.tests.helpers.drawn_programs import seeds

ATTRIBUTES = ("w", "v", "s", "n", "z")
INIT = (
    "self.w = np.array(w, dtype=float)",
    "self.w = np.asarray(w)",
    "self.w = w",
    "self.v = np.zeros(3)",
    "self.v = self.w",
    "self.v = self.w * 2",
    "self.v = self.w[:]",
    "self.v = np.array([1, 2, 3])",
    "self.s = 0.5",
    "self.s = 2",
    "self.s = None",
    "self.n = 0",
    "self.n = n",
    "self.set(self.w)",
)
STATEMENTS = (
    "self.w = self.w + x * self.s",
    "self.w += x",
    "self.w += 0.5 * x",
    "self.w[0] = x[1]",
    "self.w[1:] = x[:2] * 0.5",
    "self.v = x + self.v",
    "self.v = self.w",
    "self.v = self.w * 0.5",
    "self.v -= 0.25 * self.w",
    "self.v, self.w = self.w, x - 0.5 * self.v",
    "self.s = self.s * 0.5",
    "self.s = float(0.25)",
    "self.s = x[0]",
    "self.n += 1",
    "self.n = self.n + self.s",
    "self.z = x - 0.5",
    "y = x * 0.5",
    "y = self.w",
    "y = self.v",
    "y += 1.0",
    "y = self.size * x",
    "y = self.own()",
    "self.set(y)",
    "self.set(x * 0.5)",
    "if x[0] > 0:\n    self.w = self.w * 0.75",
    "if self.n > 1:\n    self.s = 0.125\nelse:\n    y = y - x",
    "y = self.gain(y)",
    "self.step(y * 0.5)",
    "y = y + self.gain(x) * self.gain(y)",
    "self.w = self.w - self.gain(x)",
)
LEAVES = 19  # the statements up to here call no `gain` or `step`
RESULTS = ("x * 0.5", "self.w", "self.v * 0.5", "y", "self.s * x", "x")
LOOPS = (
    ("for k in range(len(rows)):", "rows[k]"),
    ("for k in range(1, len(rows)):", "rows[k] - rows[k - 1]"),
    ("for k in range(n):", "rows[k]"),
    ("for row in rows:", "row"),
    ("for k in range(len(rows) - 1, -1, -1):", "rows[k]"),
)
AFTER = ("", "self.w += 1.0", "self.v[0] = 9.0", "self.w = self.w * 2", "out = out + self.w[0]", "self.set(self.w)\nself.w += 1")


def indented(lines, depth):
    return "".join(f"{'    ' * depth}{line}\n" for text in lines for line in text.split("\n") if line)


def method(draw, name, allowed):
    lines = ["y = x * 1.0"]
    lines += [draw.choice(STATEMENTS[:allowed]) for _ in range(draw.randint(1, 4))]
    if name == "gain":
        lines.append(f"return {draw.choice(RESULTS)}")
    return f"    def {name}(self, x):\n" + indented(lines, 2)


def program(seed):
    draw = random.Random(seed)
    init = [draw.choice([s for s in INIT if s.startswith(f"self.{a} =")]) for a in "wvsn"]
    if draw.random() < 0.2:
        init.append("self.set(self.w)")
    header, row = draw.choice(LOOPS)
    body = [f"x = {row}", "y = x + 0.5"]
    body += [draw.choice(STATEMENTS) for _ in range(draw.randint(1, 5))]
    body.append("out[0 if k < 0 else k % len(out)] = y.sum() + self.w[0]" if " k " in header else "total = total + self.w.sum()")
    before = draw.choice(("", "u = self.w", "u = self.v[:2]", "self.v = np.ones(3)"))
    run_lines = [
        "if rows.ndim != 2:\n    raise ValueError('rows')",
        "out, total, u = np.zeros(len(rows) + 1), 0.0, 0",
        before,
        header,
    ]
    text = "import numpy as np\n\n\nclass Base:\n    def __init__(self, w, n):\n" + indented(init, 2)
    text += "    def set(self, v):\n        self.v = v\n    def own(self):\n        return self.w\n"
    text += "    @property\n    def size(self):\n        return self.w @ self.w + 1\n"
    text += method(draw, "gain", LEAVES) + method(draw, "step", LEAVES)
    text += "    def run(self, rows: np.ndarray, n):\n" + indented(run_lines, 2) + indented(body, 3)
    text += indented([draw.choice(AFTER), "return out, total, u"], 2)
    text += "\n\nclass Child(Base):\n" + method(draw, "gain", LEAVES)
    if draw.random() < 0.5:
        text += "    def __init__(self, w, n):\n        super().__init__(w, n)\n        self.z = np.zeros(3)\n"
    if draw.random() < 0.5:
        text += "    def step(self, x):\n        super().step(x * 0.5)\n        self.n += 1\n"
    return text


def outcome(text, name, w, rows):
    """What the method returns or raises, the object afterwards, and which arrays are one."""
    w, rows = w.copy(), rows.copy()
    namespace = run(text)
    classes = {**namespace, "Outside": type("Outside", (namespace["Child"],), {"gain": lambda self, x: x * 0.125})}
    made = None
    with np.errstate(all="ignore"):
        try:
            made = classes[name](w, 2)
            first = dict(vars(made))
            result = made.run(rows, 2)
        except Exception as error:
            return type(error).__name__
        try:
            again = made.run(rows[:2], 1)
        except Exception as error:
            again = type(error).__name__
    held = [*vars(made).items(), *(("first " + k, v) for k, v in first.items()), ("w", w), ("result", result[2])]
    arrays = [(k, v) for k, v in held if isinstance(v, np.ndarray)]
    for _key, value in arrays:
        assert isinstance(value, np.ndarray)
    return result, again, sorted(vars(made).items()), w, rows, [v for _k, v in arrays]


def check(seed):
    before = program(seed)
    text = convert(before, placement="fast")[0]
    rng = np.random.default_rng(seed)
    for name in ("Base", "Child", "Outside"):
        for rows in (rng.normal(size=(5, 3)), rng.normal(size=(2, 3))):
            want, got = (
                outcome(before, name, np.array([0.5, 1.0, -2.0]), rows),
                outcome(text, name, np.array([0.5, 1.0, -2.0]), rows),
            )
            if isinstance(want, str):
                continue
            difference = compare_values(got, want)
            assert not difference, f"{difference}\n{name}\n{before}\n{text}"
    return "_run_loop" in text


@pytest.mark.parametrize("seed", seeds(range(300, 340), 5))
def test_random_classes(seed):
    check(seed)
