"""Random programs whose loops are in methods, in nested functions, and in functions that print."""

import random
import re

from np2jax.tests.programs.generators.loops import recurrence_programs

ATTRIBUTES = ("a", "rows", "s")


def program(seed: int) -> str:
    """One function `f(x, rows, a, n)`, as in recurrence_programs, that leaves the work to another one."""
    dice = random.Random(seed)
    lines = recurrence_programs.program(seed).split("def f(x: np.ndarray, rows: np.ndarray, a: float, n: int):\n")[1].rstrip()
    place = dice.choice(["method", "method", "nested", "printing"])
    if place == "printing":
        return f"{HEAD}    print(n)\n{lines}\n"
    inner = "\n".join(f"    {line}" for line in lines.split("\n"))
    if place == "nested":
        return f"{HEAD}    def run(x: np.ndarray, n: int):\n{inner}\n\n    return run(x, n), run(x * 2, n)\n"
    for name in ATTRIBUTES[: dice.randint(1, 3)]:
        inner = re.sub(rf"\b{name}\b", f"self.{name}", inner)
    start = re.search(r"^ +self\.s = .*\n", inner, re.M)
    made = "".join(f"        self.{name} = {name}\n" for name in ATTRIBUTES[:2]) + "        self.s = 0.5\n"
    inner = inner if start is None or dice.random() < 0.5 else inner.replace(start[0], "")
    method = f"    def run(self, x: np.ndarray, n: int{extra(inner)}):\n{inner}\n"
    model = f"class Model:\n    def __init__(self, a: float, rows: np.ndarray):\n{made}\n{method}"
    call = f"model.run(x, n{''.join(f', {name}' for name in needed(inner))})"
    end = dice.choice([f"return {call}", f"return {call}, {call}, model.s", f"first = {call}\n    return first, model.s, x"])
    return f"import numpy as np\n\n\n{model}\n\n{HEAD.split('import numpy as np')[1].strip()}\n    model = Model(a, rows)\n    {end}\n"


def needed(code: str) -> list[str]:
    """The names that the code reads, without attributes."""
    return [name for name in ("a", "rows") if re.search(rf"(?<!\.)\b{name}\b", code)]


def extra(code: str) -> str:
    return "".join({"a": ", a: float", "rows": ", rows: np.ndarray"}[name] for name in needed(code))


HEAD = "import numpy as np\n\n\ndef f(x: np.ndarray, rows: np.ndarray, a: float, n: int):\n"

arguments = recurrence_programs.arguments

__all__ = ["arguments", "program"]
