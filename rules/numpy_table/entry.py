"""The form of an entry in the table of NumPy knowledge."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class Verdict(enum.Enum):
    """What becomes of a name."""

    SAME = "same"  # jax.numpy has it, with the same meaning
    RENAMED = "renamed"  # another dotted name in JAX, the same meaning
    ADAPTED = "adapted"  # arguments dropped, renamed, moved or wrapped, or the result cast
    EXPRESSION = "expression"  # a short expression
    HOST = "host"  # stays NumPy: I/O, strings, objects, dates, static data
    REFUSED = "refused"  # no equivalent: the function is kept


class Memory(enum.Enum):
    """Whether the result may share memory with the (first) array given."""

    NEW = "new"
    VIEW = "view"
    MAYBE = "maybe"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known about one NumPy function, ndarray method or attribute.

    `target`: dotted JAX name ("jax.numpy.sqrt"); for a method the attribute name; for EXPRESSION a template in which
    {0}, {1}, {name} stand for arguments (by NumPy's parameter name) and {self} for the array of a method.
    `params`: NumPy's parameter names in order ("/" and "*" left out); needed where arguments are moved, dropped or asked for.
    `drop`: parameters without meaning in JAX that may be dropped whatever their value; `drop_if`: parameter -> literals
    (as source) for which it may be dropped; any other parameter in `unsupported` refuses the call. `rename`: keyword -> keyword.
    `add`: keyword arguments (as source) that JAX needs for NumPy's meaning (symmetrize_input=False).
    `arrays`: parameters where NumPy takes lists and JAX does not. `cast`: dtype (as source) of the result where JAX's differs.
    `kind`: of the result: array, scalar, static, tuple:N, list, none, dtype, object, unknown.
    `dtype`: of the result: "" unknown, a dtype name, "same" (as the first array), "param" (the dtype argument, else float64),
    "promote" (of the arrays), "float" (promote to inexact).
    `rank`: "" unknown, a number, "same", "broadcast", "shape" (from the shape argument), "reduce".
    `static`: parameters that must be known when tracing (axis, shape, num ...). `jit`: False when the shape of the result
    depends on values. `writes`: the parameter that NumPy changes in place (copyto: dst). `ufunc`: number of inputs of a ufunc, 0 otherwise.
    `reason`: why it is refused or stays on the host, and what the user can do. `note`: a silent difference to report (NJ6xx message).
    """

    verdict: Verdict
    target: str = ""
    params: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    drop_if: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    add: Mapping[str, str] = field(default_factory=dict)
    arrays: tuple[str, ...] = ()
    cast: str = ""
    kind: str = "array"
    dtype: str = ""
    rank: str = ""
    memory: Memory = Memory.NEW
    static: tuple[str, ...] = ()
    jit: bool = True
    writes: str = ""
    ufunc: int = 0
    reason: str = ""
    note: str = ""
