"""Random programs of functions and classes that seed NumPy's state and draw from it, for each other."""

import random

CODE = """
import numpy as np


def start(seed):
    np.random.seed(seed)
    return np.random.randn()


def maybe(seed=None):
    if seed is not None:
        np.random.seed(seed)
    return np.random.randn()


def pure(seed):
    np.random.seed(seed)


def perhaps(seed=None):
    if seed is not None:
        np.random.seed(seed)


def draw():
    return np.random.randn()


def pair(seed):
    if seed % 5 > 3:
        return np.random.randn(), 1.0
    np.random.seed(seed)
    return np.random.randn(), np.random.randn()


def nested(seed):
{nested}


class Net:
    def __init__(self, seed=None):
{init}

    def step(self, scale):
        return scale * np.random.randn()

    def again(self, seed=None):
        if seed is not None:
            np.random.seed(seed)
        return self.step(1.0)


class Sub(Net):
    def __init__(self, seed):
{sub}


class Quiet:
    def __init__(self, seed):
        np.random.seed(seed)


def main():
    x = 0.0
    y = 0.0
    made = []
{main}
    return made


def twice():
    return main(), main()
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.made = 0
        self.seeds = 0
        self.loops = []

    def seed(self):
        """A number that no other call and no iteration of a loop uses: equal seeds may give equal draws."""
        self.seeds += 1
        return " + ".join([str(self.seeds), *(f"{100 * 10**depth} * {name}" for depth, name in enumerate(self.loops))])

    def call(self):
        """A statement that calls something; returns the names of the drawn values."""
        pick = self.random.choice
        name = f"v{self.made}"
        self.made += 1
        kind = pick(
            (
                "start",
                "maybe",
                "none",
                "pure",
                "perhaps",
                "draw",
                "draw",
                "plain",
                "pair",
                "nested",
                "net",
                "sub",
                "quiet",
                "step",
            )
        )
        match kind:
            case "start":
                return [pick((f"{name} = start({self.seed()})", f"{name} = draw() + start({self.seed()})"))], [name]
            case "maybe":
                return [f"{name} = maybe({self.seed()})"], [name]
            case "none":
                return [f"{name} = maybe()"], [name]
            case "pure":
                return [f"pure({self.seed()})"], []
            case "perhaps":
                return [pick((f"perhaps({self.seed()})", "perhaps()"))], []
            case "draw":
                return [f"{name} = draw()"], [name]
            case "plain":
                return [f"{name} = np.random.randn() + draw()"], [name]
            case "pair":
                return [f"{name}, {name}b = pair({self.seed()})"], [name]
            case "nested":
                return [f"{name} = nested({self.seed()})"], [name]
            case "net":
                return [f"{name}n = Net({pick((self.seed(), ''))})", f"{name} = {name}n.step(2.0)"], [name]
            case "sub":
                return [
                    f"{name}n = Sub({self.seed()})",
                    f"{name} = {name}n.step(2.0) + {name}n.again({pick((self.seed(), ''))})",
                ], [name]
            case "step":
                return [f"{name}n = Net()", f"{name} = {name}n.again({pick((self.seed(), ''))})"], [name]
        return [f"Quiet({self.seed()})"], []

    def block(self, depth, size):
        lines = []
        for _ in range(self.random.randint(1, size)):
            if depth < 2 and self.random.random() < 0.25:
                loop = self.random.random() < 0.6
                head = f"for i{len(lines)}_{depth} in range({self.random.randint(2, 3)}):" if loop else "if x == 0.0:"
                self.loops += [head.split()[1]] if loop else []
                lines += [head, *("    " + line for line in self.block(depth + 1, size))]
                self.loops = self.loops[:-1] if loop else self.loops
                continue
            body, names = self.call()
            lines += body + [f"made.append({name})" for name in names]
        return lines

    def text(self):
        pick = self.random.choice
        init = pick(
            (
                "if seed is not None:\n            np.random.seed(seed)\n        self.w = np.random.randn()",
                "np.random.seed(0 if seed is None else seed)\n        self.w = np.random.randn()",
                "self.w = draw()\n        perhaps(seed)",
                "self.w = 1.0\n        if seed is None:\n            return\n        self.w = start(seed)",
            )
        )
        sub = pick(
            (
                "super().__init__(seed)",
                "super().__init__(seed)\n        self.w = draw()",
                "self.v = draw()\n        super().__init__(seed)",
            )
        )
        nested = pick(
            (
                "a = start(seed)\n    return a + draw()",
                "pure(seed)\n    return draw()",
                "a = maybe(seed)\n    if seed % 5 > 2:\n        return a\n    return a + draw()",
                "net = Net(seed)\n    return net.step(1.0)",
            )
        )
        main = "\n".join("    " + line for line in self.block(0, 6))
        return CODE.format(init="        " + init, sub="        " + sub, nested="    " + nested, main=main)
