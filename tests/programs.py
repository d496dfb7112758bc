"""Small NumPy programs, made at random: functions that call one another, and a main part that calls them and keeps the results.

What is observed is every variable of every module at the end: results, arguments after the call, attributes, what is in
containers.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from np2jax.tests.program_expressions import Arr, Function, Scope
from np2jax.tests.program_statements import Statements


@dataclass(frozen=True)
class Program:
    """The text of each module, the one that is run last."""

    sources: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return "\n".join(f"# --- {name}\n{text}" for name, text in self.sources)


class Programs(Statements):
    """Writes functions and the main part."""

    def function(self) -> None:
        """A function at module level."""
        name = self.fresh("f")
        params: list[tuple[str, Arr | str]] = [(self.fresh("p"), self.arr()) for _ in range(self.pick((1, 2, 2)))]
        if len(params) == 2 and self.chance(50):
            params[1] = (params[1][0], params[0][1])
        if self.chance(30):
            params.append((self.fresh("flag"), "flag"))
        elif self.chance(20):
            params.append((self.fresh("opt"), "none"))
        scope = Scope({n: a for n, a in params if isinstance(a, Arr)}, [n for n, a in params if not isinstance(a, Arr)])
        shown = [
            n if isinstance(a, Arr) or (a == "flag" and n != params[-1][0]) else f"{n}={'None' if a == 'none' else 'False'}"
            for n, a in params
        ]
        self.returns = self.pick([None, *scope.arrays.values()]) if self.chance(80) else self.arr()
        self.line(f"def {name}({', '.join(shown)}):")
        self.in_function, self.budget = True, 8
        self.block(scope, self.pick((1, 2, 3, 4)))
        self.depth += 1
        if self.returns is not None or self.chance(20):
            self.give_back(scope)
        self.depth -= 1
        self.in_function = False
        self.line("")
        self.functions.append(Function(name, tuple(params), self.returns))

    def main(self) -> None:
        """The main part: arrays, calls, and a few changes between them."""
        scope = Scope()
        for function in self.functions:
            for _name, kind in function.params:
                if isinstance(kind, Arr) and (not self.of_shape(scope, kind) or self.chance(40)):
                    name = self.fresh("a")
                    self.line(f"{name} = {self.data(kind)}")
                    scope.arrays[name] = kind
        self.budget = 4
        for _ in range(self.pick((1, 2, 3, 4))):
            self.call_statement(scope) if self.chance(70) else self.statement(scope)


@st.composite
def programs(draw) -> Program:
    """One program, of one module or of two."""
    writer = Programs(draw)
    for _ in range(writer.pick((1, 2, 2, 3))):
        writer.function()
    two = len(writer.functions) > 1 and writer.chance(20)
    if not two:
        writer.main()
        return Program((("m.py", "import numpy as np\n\n" + "\n".join(writer.lines) + "\n"),))
    library = "import numpy as np\n\n" + "\n".join(writer.lines) + "\n"
    names = ", ".join(f.name for f in writer.functions)
    header = f"import numpy as np\nfrom pkg.parts import {names}\n\n"
    writer.lines = []
    if writer.chance(50):
        header = "import numpy as np\nfrom pkg import parts\n\n"
        writer.functions = [Function(f"parts.{f.name}", f.params, f.result) for f in writer.functions]
    writer.main()
    return Program((("pkg/__init__.py", ""), ("pkg/parts.py", library), ("pkg/main.py", header + "\n".join(writer.lines) + "\n")))
