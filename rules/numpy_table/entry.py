"""The form of an entry in the table of NumPy knowledge."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


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


class Entry(NamedTuple):
    """What is known about one NumPy function, ndarray method or attribute.

    `target`: dotted JAX name ("jax.numpy.sqrt"); for a method the attribute name; for EXPRESSION a template in which
    {0}, {1}, {name} stand for arguments (by NumPy's parameter name) and {self} for the array of a method. A template names
    JAX as `jnp`, `jax`. An argument that the call leaves out makes the template unusable, unless `defaults` has it.
    `params`: NumPy's parameter names in order ("/" and "*" left out, "*xs" for any number); needed where arguments are moved,
    dropped or asked for. The parameters `out`, and `where` of a ufunc, are in `params` only: the rule on output arguments
    handles them.
    `positional`: how many leading arguments JAX takes in the same order by position (-1: all); the others become keywords,
    as does every argument after one that was dropped.
    `drop`: parameters without meaning in JAX that may be dropped whatever their value; `drop_if`: parameter -> literals
    (as source) for which it may be dropped; any other parameter in `unsupported` refuses the call. `allowed`: parameter ->
    the only literals (as source) that JAX understands; another value, or one that is not a literal, refuses the call; so does none
    where it stays NumPy.
    `refused_if`: parameter -> literals that refuse the call. `rename`: keyword -> keyword; "" for a
    first argument that JAX takes by position only.
    `add`: keyword arguments (as source, which may hold {a} as a template does) that JAX needs for NumPy's meaning
    (symmetrize_input=False); `add_unless`: parameters that make them needless when they are given.
    `arrays`: parameters where NumPy takes lists and JAX does not. `sequences`: parameters that hold a sequence of arrays, which
    stays a sequence; what is said of `arrays` holds for its elements.
    `indices`: parameters that are an index: a list becomes an array, a tuple stays a tuple.
    `strong`: parameters (also of `sequences`) whose Python scalars have a dtype of their own in NumPy (int64, float64,
    complex128), as an array of them has, but give way to the dtypes of the arrays in JAX.
    `cast`: dtype (as source) of the result where JAX's differs.
    `cast_for`: the promoted dtype of the array arguments -> the dtype of NumPy's result, where JAX's would differ (mean of int32
    is float64, cumsum of int8 is int64); `cast_how`: put it right by a cast of the "argument" (all array arguments, as far as
    they have another dtype), of "each" argument whose own dtype is named, by a cast of
    the "result", or by the keyword of that name ("dtype", "preferred_element_type").
    Beside that, where `dtype` is one of `result_dtypes.PROMOTING` and NumPy and JAX promote otherwise, the arguments are cast to
    NumPy's dtype first.
    `kind`: of the result: array, scalar, static, module, tuple (any number), tuple:N, list, none, dtype, object, unknown.
    `kind_if`: parameter -> the kind when that parameter is given a value other than its default ("*xs": more than one).
    `dtype`: of the result: "" unknown, a dtype name, "same" (as the first array), "param" (the dtype argument, else float64),
    "promote" (of the arrays), "float" (promote to inexact), "real" (as "same", complex to its real part's),
    "complex" (as "float", then complex), "mean" (integers and bool to float64), "sum" (integers and bool to 64 bits),
    "number" (as "promote", bool to int8), "size" (the real part of "mean"). A `dtype` argument that is given always decides.
    See `result_dtypes.result_dtype`.
    `promotes`: the parameters that the result is promoted from (default: `arrays` and `sequences`).
    `rank`: "" unknown, a number, "same", "broadcast", "shape" (from the shape argument), "reduce" (`axis`, `keepdims`;
    "reduce:0" where `axis` is 0 by default), "flat" (1
    when `axis` is left out or None, else the same), "along" (1 when `axis=None` is given, else the same),
    "plus:N", "minus:N", "atleast:N", "matmul", "sequence" (of the elements of the sequence).
    `memory`: as measured; `views_if`: parameters that make it MAYBE when they are given a value other than True (copy=False);
    `shares`: the parameters that it may share memory with, where that is not the first only ("*xs": each).
    `static`: parameters that must be known when tracing (axis, shape, num ...). `jit`: False when the shape of the result
    depends on values. `writes`: the parameter that NumPy changes in place (copyto: dst), "self" for a method.
    `ufunc`: number of inputs of a ufunc that works element by element, 0 otherwise.
    `reason`: why it is refused or stays on the host, and what the user can do. `note`: a silent difference to report (NJ6xx
    message); `note_dtypes`: the dtypes of the first array for which it holds (() any); `note_if`: the parameters of which
    one must be given. `lenient`: where NumPy raises and JAX goes on. `loud`: where JAX raises and NumPy goes on, beside
    an axis of an array of rank 0. `edges`: other results for infinities, NaN or empty arrays.
    `alone`: the dotted NumPy name that it is when called with its first argument only (where: numpy.nonzero).
    `short`: a shorter template, for arguments of which it is known that they have the ranks of `short_if`.
    `ranks`: parameters that must have this rank (0: no tuple); a call in which they have another is refused.
    `numeric`: it computes numbers with arrays and stays NumPy all the same (HOST), for want of an equivalent. `arrays` of what
    stays NumPy are parameters whose type it looks at: it must get NumPy's arrays.
    `floating`: parameters whose integers and bools NumPy makes float64 before it promotes them.
    `droppable`: an expression statement or a `with` of it may be removed, since it changes nothing in JAX.
    """

    verdict: Verdict
    target: str = ""
    params: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    drop_if: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    unsupported: tuple[str, ...] = ()
    rename: Mapping[str, str] = MappingProxyType({})
    add: Mapping[str, str] = MappingProxyType({})
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
    positional: int = -1
    allowed: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    defaults: Mapping[str, str] = MappingProxyType({})
    sequences: tuple[str, ...] = ()
    cast_for: Mapping[str, str] = MappingProxyType({})
    cast_how: str = "argument"
    kind_if: Mapping[str, str] = MappingProxyType({})
    promotes: tuple[str, ...] = ()
    views_if: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    note_dtypes: tuple[str, ...] = ()
    note_if: tuple[str, ...] = ()
    lenient: str = ""
    loud: str = ""
    edges: str = ""
    refused_if: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    add_unless: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    strong: tuple[str, ...] = ()
    alone: str = ""
    droppable: bool = False
    short: str = ""
    short_if: Mapping[str, int] = MappingProxyType({})
    numeric: bool = False
    floating: tuple[str, ...] = ()
    ranks: Mapping[str, int] = MappingProxyType({})
