"""What the analysis knows about an expression: frozen data, kept in tables beside the syntax."""

from __future__ import annotations

from dataclasses import dataclass

from .model import Kind


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of one expression's value. Every field has an answer that means "not known".

    `dtype` is a NumPy dtype name, or "int", "float", "complex", "bool" for a Python scalar (weak in JAX and in NumPy 2), or "".
    `rank` is the number of dimensions, or -1. `static`: known when JAX traces (shapes, literals, flags, what is made of them).
    `device`: certainly a jax.Array (or a tracer) after conversion; False means it may be a NumPy array or a Python value.
    `memory` names what the array may share memory with: "param:x", "new:12", "attr:self.w", "global:m.T", "?" (anything).
    `elements`: the values in a tuple or list display. `name`: the dotted name of a function, class or module; of an
    instance's class for an object. `via`: what would decide the kind, for the linker ("param:f.x", "call:pkg.g").
    """

    kind: Kind = Kind.UNKNOWN
    dtype: str = ""
    rank: int = -1
    static: bool = False
    device: bool = False
    memory: frozenset[str] = frozenset()
    elements: tuple[Value, ...] | None = None
    name: str = ""
    via: frozenset[str] = frozenset()


UNKNOWN = Value()


@dataclass(frozen=True, slots=True)
class FunctionPlan:
    """What becomes of one function, decided once for its definition and every call.

    `returns`: parameters handed back after the original results, in parameter order.
    `results`: how many values the original returns: 0 for None, 1, or n for a tuple display.
    """

    name: str
    params: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    results: int = 1
    static_args: tuple[str, ...] = ()
    jit: bool = False
    refused: str = ""  # why it is kept, "" when it is converted
    refused_code: str = ""
