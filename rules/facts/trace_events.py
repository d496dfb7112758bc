"""What happens in JAX code, as the analysis sees it: each event goes to the rules that ask for its type.

`node` is always the syntax (of Python's `ast`) that a finding would point at.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from .traced_values import ANYTHING, Traced


class Where(NamedTuple):
    """Where something happens.

    `transform`: the innermost transformation that traces this code, such as "jax.jit", or "". `staged`: it records the operations
    without values, so that every result of JAX is a tracer. `repeated`: it runs the code many times for one call. `loop`: inside
    a loop of Python, in this function. `differentiated`: below `grad` or its like.
    """

    transform: str = ""
    staged: bool = False
    level: int = 0
    repeated: bool = False
    loop: bool = False
    differentiated: bool = False
    function: str = ""
    caught: bool = False
    looped: frozenset[str] = frozenset()  # names that the surrounding loops of Python bind
    precise: bool = False  # some file mentions x64
    direct: bool = False  # in the function that is transformed itself, not in one that it calls
    changing: frozenset[str] = frozenset()  # names that differ from one iteration of the surrounding loops to the next
    tests: bool = False  # in a file of tests


class Test(NamedTuple):
    """Python asks for the truth of a value. `form`: if, while, assert, not, and, or, bool, comprehension, conditional, match."""

    node: ast.AST
    value: Traced
    form: str
    where: Where


class Call(NamedTuple):
    """A call of a library's function, `name`; a call of a method of an array is named ".sum"."""

    node: ast.Call
    name: str
    args: tuple[Traced, ...]
    keywords: Mapping[str, Traced]
    base: Traced
    where: Where


class Operation(NamedTuple):
    """An operator: the name of its class in `ast`, such as "Add", "Eq" and "In"."""

    node: ast.AST
    operator: str
    left: Traced
    right: Traced
    where: Where


class Index(NamedTuple):
    node: ast.Subscript
    base: Traced
    index: Traced  # type: ignore[assignment]  # a tuple has a method of this name
    where: Where


class Bound(NamedTuple):
    """A traced bound of a slice."""

    node: ast.AST
    base: Traced
    bound: Traced
    where: Where


class Mutation(NamedTuple):
    """An object changes: `how` is "item", "attribute", "part" (something that an attribute refers to), "delete", or the name of a
    method. `statement`: of one line, that binds an
    element of a variable of the same function."""

    node: ast.AST
    base: Traced
    how: str
    value: Traced
    where: Where
    name: str = ""
    statement: ast.stmt | None = None


class Rebinding(NamedTuple):
    """A variable of an outer scope is bound: `form` is global or nonlocal; `level`: that of the scope that has it."""

    node: ast.AST
    name: str
    form: str
    level: int
    where: Where


class Iteration(NamedTuple):
    """A loop or a comprehension of Python. `count`: the number of its iterations, if it is a literal. `targets`: its variables."""

    node: ast.AST
    value: Traced
    count: int | None  # type: ignore[assignment]  # a tuple has a method of this name
    body: tuple[ast.AST, ...]
    where: Where
    targets: frozenset[str] = frozenset()


class Formatting(NamedTuple):
    """A value becomes text. `form`: f-string, %, str, repr, format; `spec`: with a format such as `.2f`."""

    node: ast.AST
    value: Traced
    form: str
    spec: bool
    where: Where


class Handler(NamedTuple):
    """An `except` around code that computes with tracers; the names that it catches."""

    node: ast.ExceptHandler
    names: tuple[str, ...]
    where: Where


class KeyUse(NamedTuple):
    """A random key is used up for the second time. `form`: again, loop, or batch (a function that a transformation repeats),
    carried (a loop of `lax` whose body returns the key that it used). Or for the first time: seeded, where each iteration of a loop makes the key from a constant."""

    node: ast.AST
    form: str
    first: int  # the line of the first use
    where: Where


class Transformation(NamedTuple):
    """A function is transformed. `fresh`: the function is new on each evaluation: a lambda, a partial, a nested `def`.
    `called`: the result is called at once and kept nowhere."""

    node: ast.AST
    name: str
    function: Traced
    fresh: bool
    called: bool
    where: Where


class Recompilation(NamedTuple):
    """A loop calls a function, `name`, that compiles a new function in each call, at `place`: "in line 3", or a line of another file."""

    node: ast.AST
    name: str
    place: str
    where: Where


class CompiledCall(NamedTuple):
    """A call of a function that `jit` compiles, with its static and its traced arguments by the names of the parameters."""

    node: ast.Call
    static: Mapping[str, Traced]
    traced: Mapping[str, Traced]
    nodes: Mapping[str, ast.AST]
    where: Where


class TracedArguments(NamedTuple):
    """What a derivative, `vmap` or a loop of `lax` makes tracers of."""

    node: ast.AST
    transform: str
    values: tuple[Traced, ...]
    where: Where


class Retyped(NamedTuple):
    """A compiled function gets a number of Python of another type than in a call before, for the same parameter."""

    node: ast.AST
    name: str
    found: str
    first: str
    line: int
    where: Where


class Definition(NamedTuple):
    """A function of a class that `jit` wraps whole: `registered` if the class may be a pytree."""

    node: ast.AST
    name: str
    registered: bool
    static: bool  # its first parameter is static
    where: Where


class Discarded(NamedTuple):
    """An expression whose result is thrown away. `called`: the function of a library; `base`: the object of a method."""

    node: ast.AST
    value: Traced
    name: str
    where: Where
    called: str = ""
    base: Traced = ANYTHING


class Reference(NamedTuple):
    """A name of a library. `target`: the version of JAX that the code is for, () for the newest."""

    node: ast.AST
    name: str
    where: Where
    target: tuple[int, ...] = ()


class Carry(NamedTuple):
    """The body of a loop of `lax`: the carry that it takes and the one that it returns. `grows`: the part of the carry that comes
    back joined with something."""

    node: ast.AST
    name: str
    taken: Traced
    returned: Traced
    where: Where
    grows: bool = False


class Branches(NamedTuple):
    """The results of the functions of which `cond` or `switch` runs one."""

    node: ast.AST
    name: str
    results: tuple[Traced, ...]
    where: Where


class Field(NamedTuple):
    """A field of a class, with the annotation and the call that describes it."""

    node: ast.AnnAssign
    annotation: Traced
    call: str
    static: bool
    where: Where


class Timing(NamedTuple):
    """A clock is read while a compiled function, called in `line`, may still run."""

    node: ast.AST
    line: int
    where: Where


class Transfer(NamedTuple):
    """Each iteration of a loop of Python moves an array between the device and the host.

    `form`: kept (the loop only stores the number), shown (it prints it), returned (the compiled code gets it again), sent (to the
    device, though the loop does not change it). `line`: where the loop calls compiled code, 0 if it does not.
    """

    node: ast.AST
    form: str
    name: str  # of the function that moves it
    line: int
    where: Where


class Capture(NamedTuple):
    """Traced code reads a large array from outside, which becomes a constant of the compiled code."""

    node: ast.AST
    name: str
    elements: int
    where: Where


class Use(NamedTuple):
    """A variable is read whose array was donated to a call before."""

    node: ast.AST
    name: str
    line: int
    where: Where
