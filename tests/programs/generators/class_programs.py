"""Random programs of classes that share method names, inherit from each other, and are called on objects of unknown class."""

from random import Random

STEPS = (
    "return x * 2 + self.w",
    "return self.w",
    "self.w = self.w + x\nreturn x",
    "self.w[0] = 3.0\nreturn x + 1",
    "self.w += x\nreturn self.w",
    "self.w *= 2",
    "y = x.copy()\ny[0] = 1.0\nreturn y",
    "y = x * 1.0\ny += self.w\nreturn y",
    "y = np.zeros(3)\nfor i in range(3):\n    y[i] = x[i] + self.w[i]\nreturn y",
    "y = np.sort(x)\nself.kept = y\nreturn y",
    "y = self.w\ny[1:] += 1.0\nreturn y * 2",
    "def look(a):\n    return a.shape[0] + float(a.sum())\nreturn x * look(x)",
    "t = np.maximum(x, 0.5)\nt[t > 2] = 2.0\nreturn t",
    "return np.where(x > 1, x, self.w)",
    "self.w = x\nreturn x",
    "self.w = x.copy()",
)
MORE = (
    "y = super().{name}(x)\nreturn x if y is None else y + 1",
    "super().{name}(x * 2)\nreturn self.w * 0.5",
    "x = x + 1\nreturn super().{name}(x)",
    "y = {base}.{name}(self, x)\nif y is None:\n    y = self.w\nreturn y - x",
)
CAUGHT = (
    "    try:\n        x = np.linalg.inv(np.eye(3)) @ x\n    except np.linalg.LinAlgError:\n        return x\n"  # left as NumPy
)
DRIVERS = (
    "def {f}(os, x):\n    for o in os:\n        y = o.{name}(x)\n        x = x if y is None else y\n    return x\n",
    "def {f}(os, x):\n    seen = [x]\n    for o in os:\n        y = o.{name}(seen[-1])\n        seen.append(o.w if y is None else y)\n    return seen[-1]\n",
    "def {f}(os, x):\n    for o, p in zip(os, os[1:]):\n        o.{name}(p.w)\n    return os[0].w + x\n",
    "def {f}(os, x):\n    for o in os:\n        o.w *= 2\n        o.{name}(x)\n    return os[-1].w * 1.0\n",
    "def {f}(os, x):\n    out = np.zeros(3)\n    for o in os:\n        y = o.{name}(x)\n        out += o.w if y is None else y\n    return out\n",
    "def {f}(os, x):\n    for o in os:\n        y = o.{name}(x)\n    if y is not None:\n        y = y * 1.0\n        y[0] = 7.0\n    return y\n",
    "def {f}(os, x):\n    for o in os:\n        o.w[0] = 2.0\n    return os[0].{name}(x)\n",
    "def {f}(os, x):\n    out = np.zeros(3)\n    same = out\n    for o in os:\n        o.{name}(x)\n        out += o.w * 2.0\n"
    "    same[0] += 5.0\n    return out\n",
    "def {f}(os, x):\n    out = np.ones(3)\n    seen = [out]\n"
    + CAUGHT
    + "    for o in os:\n        out *= o.w\n        o.{name}(out)\n"
    "    out[1:] += 1.0\n    return seen[0] + out\n",
    "def {f}(os, x):\n    total = 0.0\n    rows = np.zeros((2, 3))\n"
    + CAUGHT
    + "    for o in os:\n        y = o.{name}(x)\n        total += o.w[1]\n"
    "        rows += o.w if y is None else y\n    rows[0, 0] = total\n    return rows\n",
)


def indented(text: str, depth: int) -> str:
    return "".join(f"{'    ' * depth}{line}\n" for line in text.splitlines())


def make_program(seed: int) -> str:
    """One module: classes with methods of two names, functions that call them on any of their objects, and the calls."""
    random = Random(seed)
    names = ["step", "turn"]
    text, classes = "import numpy as np\n\n\n", []
    for number in range(random.randint(2, 4)):
        cls, base = f"K{number}", random.choice(classes) if classes and random.random() < 0.5 else ""
        text += f"class {cls}{f'({base})' if base else ''}:\n"
        if not base:
            made = random.choice(("np.ones(n)", "np.arange(n) * 1.0", "np.zeros(n) + 0.5"))
            text += f"    def __init__(self, n):\n        self.w = {made}\n"
            text += random.choice(("", "        self.other = self.w\n", "        self.all = [self.w]\n"))
        elif random.random() < 0.4:
            text += f"    def __init__(self, n):\n        super().__init__(n)\n        self.w = self.w + {number}\n"
        for name in names:
            if not base or random.random() < 0.6:
                body = random.choice(MORE if base and random.random() < 0.7 else STEPS).format(name=name, base=base)
                text += f"    def {name}(self, x):\n{indented(body, 2)}"
        if base:
            text += f"    def own(self): return self.{random.choice(names)}(self.w + 1)\n"
        text += "\n\n"
        classes.append(cls)
    used = [(f"run{i}", random.choice(names), random.choice(DRIVERS)) for i in range(random.randint(1, 3))]
    for f, name, driver in used:
        text += driver.format(f=f, name=name) + "\n\n"
    chosen = ", ".join(f"{random.choice(classes)}(3)" for _ in range(random.randint(2, 4)))
    text += f"objects = [{chosen}]\nstart = np.array([0.5, 1.5, 2.5])\n"
    for number, (f, _name, _driver) in enumerate(used):
        text += f"r{number} = {f}(objects, {random.choice(('start', 'start * 2', 'np.ones(3)'))})\n"
    return text
