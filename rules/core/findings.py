"""The types that rules and the engine share."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, final

import libcst as cst

from .diagnostic import Diagnostic as Diagnostic

Edit = Callable[[Any], Any]  # gets the node with its children rewritten; gives a node, several or none, as LibCST takes them


Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


class Safety(enum.Enum):
    """How much trust an automatic edit of a rule deserves."""

    SAFE = "safe"  # same results, applied by default
    UNSAFE = "unsafe"  # applied only with --unsafe
    MANUAL = "manual"  # never applied: the user decides


@final
class Kind:
    """What an expression evaluates to, as far as the analysis knows.

    There is one object of each kind, in every process. No enum: Python 3.11 looks its members up four times as slowly, and a
    conversion asks for kinds a few million times.
    """

    __slots__ = ("value",)

    ARRAY: ClassVar[Kind]
    SCALAR: ClassVar[Kind]  # a Python or NumPy number or bool
    STRING: ClassVar[Kind]
    NONE: ClassVar[Kind]
    TUPLE: ClassVar[Kind]
    LIST: ClassVar[Kind]
    DICT: ClassVar[Kind]
    FUNCTION: ClassVar[Kind]
    CLASS: ClassVar[Kind]
    MODULE: ClassVar[Kind]
    DTYPE: ClassVar[Kind]
    OBJECT: ClassVar[Kind]  # something else of Python's, certainly no array
    UNKNOWN: ClassVar[Kind]

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Kind.{self.value.upper()}"

    __reduce__ = __repr__  # pickled as the name of the one that the other process has


for _name in Kind.__annotations__:
    setattr(Kind, _name, Kind(_name.lower()))


class Finding(NamedTuple):
    """What a rule has to say about a node; lives inside one file.

    The edits apply all or none. `before` and `after` make statements to place around the statement that holds `node`.
    `imports` are the lines that the edits need, such as "import jax.numpy as jnp"; `definitions` the functions that they call and that the
    module gets a copy of (rules.definitions).
    """

    node: cst.CSTNode
    message: str
    edits: Mapping[cst.CSTNode, Edit] = MappingProxyType({})
    imports: frozenset[str] = frozenset()
    before: Callable[[], Sequence[Statement]] | None = None
    after: Callable[[], Sequence[Statement]] | None = None
    blocks: bool = False  # the unit cannot be converted: it is kept, for the reason `message`
    refuses: str = ""  # the function that must be kept instead of the unit
    wraps: bool = False  # the edits put something around what the nodes become, whatever that is
    early: bool = False  # `before` stands ahead of what other findings place there
    safety: Safety | None = None  # where it differs from the rule's
    definitions: frozenset[str] = frozenset()
