"""Expressions of generated programs. Shapes are known while a program is generated, so that NumPy rarely raises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from np2jax.tests.programs.generators.program_tables import (
    ARRAYS_DRAWN,
    CATEGORIES,
    COPIES,
    DATA,
    DTYPES,
    ELEMENTWISE,
    GRIDS,
    LITERALS,
    MAYBE_VIEWS,
    NUMBERS_DRAWN,
    UNARY,
    VECTORS,
    VIEWS,
    Shape,
)


def integers(source: str) -> str:
    """The name by which a generator, or NumPy's state, draws integers."""
    return "randint" if source == "np.random" else "integers"


@dataclass(frozen=True)
class Arr:
    """An array of known shape, and of a dtype known up to its category."""

    shape: Shape
    category: str

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class Function:
    """A function of the program: parameters by name (arrays and flags), and its results."""

    name: str
    params: tuple[tuple[str, Arr | str], ...]
    result: Arr | None
    module: str = "m"


@dataclass(frozen=True)
class Class:
    """A class of the program: the kind of its only argument, its methods."""

    name: str
    given: Arr
    methods: tuple[Function, ...]


@dataclass
class Scope:
    """The names that a block may use."""

    arrays: dict[str, Arr] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)  # names of parameters that are not plain arrays: an int, None or an array
    lists: dict[str, Arr] = field(default_factory=dict)
    dicts: dict[str, Arr] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)  # sources of random numbers: `np.random`, generators
    outer: frozenset[str] = frozenset()  # names that a nested function must not bind

    def inside(self) -> Scope:
        return Scope(dict(self.arrays), list(self.flags), dict(self.lists), dict(self.dicts), list(self.sources), self.outer)

    @property
    def generators(self) -> list[str]:
        return [s for s in self.sources if s != "np.random"]


@dataclass
class Writer:
    """Writes a program; `choose(n)`, a number below n, makes every choice, so that Hypothesis can shrink it."""

    choose: Callable[[int], int]
    functions: list[Function] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    module_arrays: dict[str, Arr] = field(default_factory=dict)
    annotated: bool = False
    random: str = ""  # the source of random numbers in functions: "state" of NumPy, "generators" or "both"
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    count: int = 0
    budget: int = 0
    loops: int = 0
    returns: Arr | None = None
    in_function: bool = False

    # --- choices
    def pick(self, options):
        options = list(options)
        return options[self.choose(len(options))]

    def chance(self, percent: int) -> bool:
        return self.choose(100) >= 100 - percent

    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def arr(self) -> Arr:
        return Arr(self.pick(VECTORS + GRIDS), self.pick(CATEGORIES))

    # --- expressions
    def literal(self, category: str) -> str:
        return self.pick(LITERALS[category])

    def data(self, arr: Arr) -> str:
        """The literal text of an array."""
        values = [self.pick(DATA[arr.category]) for _ in range(int(np.prod(arr.shape)))]
        dtype = self.pick(DTYPES[arr.category])
        if arr.rank == 2:
            width = arr.shape[1]
            values = ["[" + ", ".join(values[i * width : (i + 1) * width]) + "]" for i in range(arr.shape[0])]
        return f"np.array([{', '.join(values)}], dtype={dtype})"

    def number(self, scope: Scope, category: str) -> str:
        """An expression for one number."""
        found = [n for n, a in scope.arrays.items() if a.category == category]
        kind = self.pick(("literal", "literal", "item", "sum")) if found else "literal"
        if scope.sources and category in NUMBERS_DRAWN and self.chance(50):
            return self.drawn_number(scope, category)
        if kind == "literal":
            return self.literal(category)
        name = self.pick(found)
        if kind == "item":
            return name + ("[0]" if scope.arrays[name].rank == 1 else "[0, -1]")
        return f"{name}.sum()" if category != "bool" else f"{name}.any()"

    def of_shape(self, scope: Scope, arr: Arr) -> list[str]:
        return [n for n, a in scope.arrays.items() if a == arr]

    def operand(self, scope: Scope, arr: Arr) -> str:
        """An array of this kind, or a number that broadcasts."""
        found = self.of_shape(scope, arr)
        if found and self.chance(70):
            return self.pick(found)
        rows = [n for n, a in scope.arrays.items() if a.category == arr.category and arr.rank == 2 and a.shape == arr.shape[1:]]
        if rows and self.chance(60):
            return self.pick(rows)
        return self.number(scope, arr.category)

    def new_array(self, scope: Scope, arr: Arr) -> str:
        """An expression that creates a new array."""
        found = self.of_shape(scope, arr)
        if scope.sources and arr.category in ARRAYS_DRAWN and self.chance(60):
            return self.drawn(scope, arr, found)
        kind = self.pick(("binary", "unary", "copy", "make", "where") if found else ("make",))
        if kind == "make":
            dtype = self.pick(DTYPES[arr.category])
            size = str(arr.shape[0]) if arr.rank == 1 else str(arr.shape)
            return self.pick(
                (
                    f"np.zeros({size}, dtype={dtype})",
                    f"np.ones({size}, dtype={dtype})",
                    f"np.full({size}, {self.literal(arr.category)})",
                )
            )
        name = self.pick(found)
        if kind == "binary":
            return f"{name} {self.pick(ELEMENTWISE[arr.category])} {self.operand(scope, arr)}"
        if kind == "unary":
            return self.pick(UNARY[arr.category]).format(name)
        if kind == "where":
            return f"np.where({name} == {name}, {name}, {self.operand(scope, arr)})"
        copies = COPIES if arr.category != "bool" else COPIES[:-1]
        return self.pick(copies).format(name)

    def drawn_number(self, scope: Scope, category: str) -> str:
        source = self.pick(scope.sources)
        return f"{source}.{self.pick(NUMBERS_DRAWN[category]).replace('INTEGERS', integers(source))}"

    def drawn(self, scope: Scope, arr: Arr, found: list[str]) -> str:
        """An array of random numbers."""
        source = self.pick(scope.sources)
        size = self.pick([*([str(arr.shape[0])] if arr.rank == 1 else []), str(arr.shape), *(f"{n}.shape" for n in found[:1])])
        if found and self.chance(30):
            name = self.pick(found)
            forms = [f"permutation({name})", *([f"choice({name}, {name}.shape[0])"] if arr.rank == 1 else [])]
            return f"{source}.{self.pick(forms)}"
        return f"{source}.{self.pick(ARRAYS_DRAWN[arr.category]).format(size).replace('INTEGERS', integers(source))}"

    def view(self, scope: Scope, name: str) -> tuple[str, Arr]:
        """A view of a variable, or a view of a view."""
        arr = scope.arrays[name]
        text = name
        for _ in range(self.pick((1, 1, 2))):
            steps = [s for s in VIEWS.get(arr.rank, ()) if s != ".real" or arr.category != "complex"]
            if not steps:
                break
            step = self.pick(steps)
            try:
                shape = eval("x" + step, {"x": np.empty(arr.shape)}).shape
            except IndexError:
                break
            if shape == () or 0 in shape:
                break
            text, arr = text + step, Arr(shape, arr.category)
        return text, arr

    def maybe_view(self, scope: Scope, name: str) -> tuple[str, Arr]:
        arr = scope.arrays[name]
        form, dtype = self.pick(MAYBE_VIEWS), self.pick(DTYPES[arr.category][:1])
        shape = eval(form.format("x", dtype), {"np": np, "x": np.empty(arr.shape, DTYPES[arr.category][0])}).shape
        text = form.format(name, dtype)
        return text, Arr(shape, arr.category)

    def call(self, scope: Scope) -> tuple[str, Function] | None:
        """A call of a function of the program with arguments that fit."""
        fitting = []
        for function in self.functions:
            required = [a for _n, a in function.params if isinstance(a, Arr)]
            if any(a == "rng" for _n, a in function.params) and not scope.generators:
                continue
            if all(self.of_shape(scope, a) for a in required):
                fitting.append(function)
        if not fitting:
            return None
        function = self.pick(fitting)
        arguments = []
        for position, (name, kind) in enumerate(function.params):
            if isinstance(kind, Arr):
                value = self.pick(self.of_shape(scope, kind))
            elif kind == "rng":
                value = self.pick(scope.generators)
            elif kind == "flag":
                value = self.pick(("True", "False"))
            elif kind == "none":
                if position == len(function.params) - 1 and self.chance(50):
                    continue
                value = self.pick(("None", "2.0"))
            else:
                value = self.pick(("1", "2", "3"))
            keyword = len(arguments) < position or (arguments and "=" in arguments[-1]) or (position and self.chance(15))
            arguments.append(f"{name}={value}" if keyword else value)
        return f"{function.name}({', '.join(arguments)})", function
