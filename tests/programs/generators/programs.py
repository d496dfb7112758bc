"""Small random NumPy programs: functions that call one another, and a main part that calls them and stores the results.

Observed is every variable of every module at the end: results, arguments after the call, attributes, contents of containers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from np2jax.tests.programs.generators.program_definitions import Definitions
from np2jax.tests.programs.generators.program_expressions import Arr, Class, Function, Scope


@dataclass(frozen=True)
class Program:
    """The text of each module; the last one is run last."""

    sources: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return "\n".join(f"# --- {name}\n{text}" for name, text in self.sources)


class Programs(Definitions):
    """Writes whole programs."""

    def definitions(self) -> None:
        self.annotated = self.chance(40)
        if self.chance(20):
            self.module_array()
        for _ in range(self.pick((1, 2, 2, 3))):
            self.function()
        if self.chance(25):
            self.klass()

    def main(self) -> None:
        """The main part: arrays, objects, calls, and a few changes between them."""
        scope = Scope(dict(self.module_arrays))
        if self.random in ("state", "both"):
            scope.sources.append("np.random")
            if self.chance(70):
                self.line(f"np.random.seed({self.pick(('0', '7'))})")
        if self.random in ("generators", "both"):
            scope.sources.append("rng")
            self.line(f"rng = np.random.default_rng({self.pick(('1', '5'))})")
        kinds = [kind for function in self.functions for _name, kind in function.params if isinstance(kind, Arr)]
        kinds += [c.given for c in self.classes]
        kinds += [k for c in self.classes for m in c.methods for _n, k in m.params if isinstance(k, Arr)]
        for kind in kinds:
            if not self.of_shape(scope, kind) or self.chance(40):
                name = self.fresh("a")
                self.line(f"{name} = {self.data(kind)}")
                scope.arrays[name] = kind
        for made in self.classes:
            for _ in range(self.pick((1, 1, 2))):
                name = self.fresh("k")
                self.line(f"{name} = {made.name}({self.pick(self.of_shape(scope, made.given))})")
                self.functions = self.functions + [Function(f"{name}.{m.name}", m.params, m.result) for m in made.methods] * 2
                if self.chance(40):
                    scope.arrays[f"{name}.a"] = made.given
        self.budget = 4
        for _ in range(self.pick((1, 2, 3, 4))):
            self.call_statement(scope) if self.chance(70) else self.statement(scope)


@st.composite
def programs(draw) -> Program:
    """A program for which Hypothesis makes each choice."""
    return program(lambda options: draw(st.integers(0, options - 1)))


def program(choose: Callable[[int], int], random: bool = False) -> Program:
    """One program, of one module or of two; with `random` it draws random numbers. `choose(n)` returns a number below n."""
    writer = Programs(choose)
    if random:
        writer.random = writer.pick(("state", "generators", "generators", "both"))
    writer.definitions()
    if not writer.chance(20):
        writer.main()
        return Program((("m.py", "import numpy as np\n\n" + "\n".join(writer.lines) + "\n"),))
    library = "import numpy as np\n\n" + "\n".join(writer.lines) + "\n"
    names = [*(f.name for f in writer.functions), *(c.name for c in writer.classes), *writer.module_arrays]
    header = f"import numpy as np\nfrom pkg.parts import {', '.join(names)}\n\n"
    writer.lines = []
    if writer.chance(50):
        header = "import numpy as np\nfrom pkg import parts\n\n"
        writer.functions = [Function(f"parts.{f.name}", f.params, f.result) for f in writer.functions]
        writer.classes = [Class(f"parts.{c.name}", c.given, c.methods) for c in writer.classes]
        writer.module_arrays = {f"parts.{n}": a for n, a in writer.module_arrays.items()}
    writer.main()
    return Program((("pkg/__init__.py", ""), ("pkg/parts.py", library), ("pkg/main.py", header + "\n".join(writer.lines) + "\n")))
