"""The structure of an entry in the table of NumPy knowledge."""

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
    REFUSED = "refused"  # no equivalent: the function is left as NumPy


class Memory(enum.Enum):
    """Whether the result may share memory with the (first) array argument."""

    NEW = "new"
    VIEW = "view"
    MAYBE = "maybe"


class Entry(NamedTuple):
    """The facts about one NumPy function, ndarray method or attribute.

    `target`: the dotted JAX name ("jax.numpy.sqrt"); for a method, the attribute name; for EXPRESSION, a template in which
    {0}, {1}, {name} stand for arguments (by NumPy's parameter name) and {self} for the array of a method. A template refers to
    JAX as `jnp`, `jax`. It does not apply to a call that omits one of its arguments, unless that is in `defaults`.
    `params`: NumPy's parameter names in order (without "/" and "*", "*xs" for any number); needed if arguments are moved,
    dropped or looked up. The parameters `out`, and `where` of a ufunc, are in `params` only: the rule on output arguments
    handles them.
    `positional`: how many leading arguments JAX takes by position in the same order (-1: all); the others become keywords,
    as does every argument after a dropped one.
    `drop`: parameters without meaning in JAX, which may be dropped whatever their value. `drop_if`: parameter -> literals
    (as source) for which it may be dropped. `unsupported`: parameters for which the call is refused, unless they are
    dropped or None. `allowed`: parameter -> the only literals (as source) that JAX supports; a call with another value is
    refused, as is one with a value that is not a literal, and, if the function stays NumPy, one that omits the parameter.
    `refused_if`: parameter -> literals for which the call is refused. `rename`: keyword -> keyword; "" for a
    first argument that JAX takes by position only.
    `add`: keyword arguments (as source, which may contain {a} as in a template) that JAX needs for NumPy's semantics
    (symmetrize_input=False). `add_unless`: parameters that make them unnecessary if passed.
    `arrays`: parameters for which NumPy takes lists and JAX does not. `sequences`: parameters that are sequences of arrays, and
    remain sequences; `arrays` then applies to their elements.
    `indices`: parameters that are an index: a list becomes an array, a tuple stays a tuple.
    `strong`: parameters (also of `sequences`) whose Python scalars are strongly typed in NumPy (int64, float64,
    complex128), like an array of them, but weakly typed in JAX.
    `cast`: the dtype (as source) of the result where JAX's differs.
    `cast_for`: the promoted dtype of the array arguments -> the dtype of NumPy's result, where JAX's would differ (mean of int32
    is float64, cumsum of int8 is int64). `cast_how`: how to correct it: by a cast of the "argument" (all array arguments that
    have another dtype), of "each" argument whose own dtype is a key of `cast_for`, or of the "result", or by the keyword of
    that name ("dtype", "preferred_element_type").
    In addition, if `dtype` is one of `result_dtypes.PROMOTING` and NumPy and JAX promote differently, the arguments are cast to
    NumPy's dtype first.
    `kind`: of the result: array, scalar, static, module, tuple (of any length), tuple:N, tuple:args (one for each argument), list, list:args, none,
    dtype, object, unknown.
    `results`: the ranks of the arrays in a tuple:N, as `rank`; their dtype is `dtype`, unless that is complex.
    `kind_if`: parameter -> the kind if that parameter is passed a value other than its default ("*xs": more than one).
    `dtype`: of the result: "" unknown, a dtype name, "same" (as the first array), "param" (the dtype argument, else float64),
    "promote" (of the arrays), "float" (promote to inexact), "real" (as "same", complex to its real part's),
    "wide" (as "float", unknown below 32 bits), "double" (float64 or complex128), "complex" (as "float", then complex), "mean" (integers and bool to float64), "sum" (integers and bool to 64 bits),
    "number" (as "promote", bool to int8), "size" (the real part of "mean"). A `dtype` argument takes precedence.
    See `result_dtypes.result_dtype`.
    `promotes`: the parameters whose dtypes are promoted to that of the result (default: `arrays` and `sequences`).
    `rank`: "" unknown, a number, "same", "broadcast", "shape" (from the shape argument), "reduce" (`axis`, `keepdims`;
    "reduce:0" if `axis` is 0 by default), "flat" (1 if `axis` is omitted or None, else the same), "along" (1 if `axis=None` is
    passed, else the same), "plus:N", "minus:N", "atleast:N", "matmul", "dot", "inner", "sequence" (of the elements of the sequence),
    "joined:N" (of these elements, at least N), "args" (the number of arguments), "einsum". See `result_ranks.result_rank`.
    `memory`: as measured. `views_if`: parameters that make it MAYBE if they are passed a value other than True (copy=False).
    `shares`: the parameters with which the result may share memory, if not only the first ("*xs": each).
    `static`: parameters that must be known when tracing (axis, shape, num ...). `jit`: False if the shape of the result
    depends on values. `writes`: the parameter that NumPy updates in place (copyto: dst), "self" for a method.
    `ufunc`: the number of inputs of an elementwise ufunc, 0 otherwise.
    `reason`: why it is refused or stays on the host, and what the user can do. `note`: a silent difference to report (NJ6xx
    message). `note_dtypes`: the dtypes of the first array to which the note applies (() any). `note_if`: the parameters of which
    one must be passed. `lenient`: where NumPy raises and JAX does not. `loud`: where JAX raises and NumPy does not, besides
    an axis of an array of rank 0. `edges`: different results for infinities, NaN or empty arrays.
    `alone`: the dotted NumPy name that it is equivalent to when called with its first argument only (where: numpy.nonzero).
    `short`: a shorter template, for arguments that are known to have the ranks in `short_if`.
    `ranks`: parameter -> its required rank (0: no tuple); a call with another rank is refused.
    `rows_if`: parameter -> an argument. Where that is passed a value other than True, JAX does not make a row of a parameter with one
    dimension, as NumPy does.
    `numeric`: it computes numbers with arrays, but stays NumPy (HOST) for lack of an equivalent. For a function that stays NumPy,
    `arrays` are the parameters whose type it tests: it must get NumPy arrays.
    `floating`: parameters whose integers and bools NumPy converts to float64 before promotion.
    `droppable`: an expression statement or a `with` that uses it may be removed, since it has no effect in JAX.
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
    results: tuple[str, ...] = ()
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
    rows_if: Mapping[str, str] = MappingProxyType({})
