"""The types that rules and the engine share: findings, edits, and the kinds of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, final

import libcst as cst

from .diagnostic import Diagnostic as Diagnostic
from .diagnostic import Safety as Safety

Edit = Callable[[Any], Any]  # takes the node with its children rewritten; returns a node, several or none, as LibCST expects


Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


@final
class Kind:
    """What an expression evaluates to, as far as the analysis knows.

    Each kind is a single object in every process. Not an enum: Python 3.11 takes four times as long to look up its members, and a
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
    OBJECT: ClassVar[Kind]  # any other Python object, certainly no array
    UNKNOWN: ClassVar[Kind]

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Kind.{self.value.upper()}"

    __reduce__ = __repr__  # pickled by name: the other process has its own object


for _name in Kind.__annotations__:
    setattr(Kind, _name, Kind(_name.lower()))


class Finding(NamedTuple):
    """What a rule reports about a node; valid within one file.

    Either all edits apply or none. `before` and `after` create statements to insert before and after the statement that contains
    `node`.
    `imports` are the lines that the edits need, such as "import jax.numpy as jnp". `definitions` are the functions that they call
    and that are copied into the module (rules.definitions).
    """

    node: cst.CSTNode
    message: str
    edits: Mapping[cst.CSTNode, Edit] = MappingProxyType({})
    imports: frozenset[str] = frozenset()
    before: Callable[[], Sequence[Statement]] | None = None
    after: Callable[[], Sequence[Statement]] | None = None
    blocks: bool = False  # the unit cannot be converted: it is left as NumPy, for the reason `message`
    refuses: str = ""  # the function to refuse instead of the unit
    wraps: bool = False  # the edits wrap whatever the nodes become
    early: bool = False  # `before` comes ahead of what other findings insert there
    safety: Safety | None = None  # where it differs from that of the rule
    definitions: frozenset[str] = frozenset()
