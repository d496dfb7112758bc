"""The form of an entry in the table of random draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .values import Value

Facts = Callable[[str], Value]  # what is known of the argument for a parameter of NumPy


class Form(NamedTuple):
    """One way of writing a draw; the first whose conditions hold is taken.

    `template`: JAX's expression, in which {parameter} stands for an argument by NumPy's name and {name_key} for one of the
    keys of `Draw.keys`. {size} is the shape of the result as a tuple; {size?} the same, left out where the parameters inside
    the call set the shape by themselves. A keyword argument that is nothing but a parameter vanishes where NumPy's default is
    given (JAX's must be the same); so do `0 +`, `1 *` and `/ 1`, and a last positional argument `()`.
    `when`: parameter -> "" (left out or None), "given", "scalar" (certainly one number), "rank1" (certainly one dimension), or
    the literal that it must be.
    """

    template: str
    when: Mapping[str, str] = MappingProxyType({})


class Draw(NamedTuple):
    """What is known of one draw of `numpy.random`, or of one method that handles the generator's state.

    `params`: NumPy's parameters in order ("*d": any number); those from `keyword_only` on are keyword-only. `defaults`:
    parameter -> NumPy's default as source. A parameter without a default must be given.
    `keys`: what each key that the draw takes is for, as stems of names ("normal": normal_key).
    `arrays`: parameters that may be arrays and broadcast against each other and `size`. `vectors`: parameters that are arrays
    whose last dimensions belong to one draw (mean, alpha, the population of choice). `events`: dimensions of one draw.
    `static`: parameters that must be known when JAX traces, beside `size`. `scalars`: parameters that cannot be arrays here.
    `ignored`: parameters that have no meaning in JAX (check_valid). `allowed`: parameter -> the literals that are understood.
    `refused`: parameter -> why a value other than the default refuses the call. `excluded`: parameter -> literal -> why that
    one does; a literal is written as in the table: 'single' quotes, and the last part of a dotted name (np.bool_: "bool_").
    `limits`: parameter -> the largest number for which JAX's draw has NumPy's distribution: a larger literal refuses the call
    for the reason in `note`. `sums`: parameters that are lists of probabilities: one written out whose sum is not 1 does too.
    `dtype`: of NumPy's result: a name; "param" (the argument `dtype`, else the default); "same" (as the first vector; int64
    where that is a number); "bytes"; "" for none. `scalar`: what NumPy gives for one number: "float" or "int" of Python's,
    which give way to other dtypes in NumPy and not in JAX, or "numpy".
    `rank`: "size", "choice" (of the population, one dimension replaced by `size`), "same" (as the first vector, 1 for a
    number), "rows" (as the first vector, its dimensions but the last replaced by `size` when it is given).
    `writes`: the parameter that NumPy changes in place: the expression is its new value, and the call's own value is None.
    `jit`: False where the result is Python's and cannot be traced.
    `state`: a method or attribute that handles the state, and draws nothing. `note`: a difference that nobody hears
    of. `lenient`: where NumPy raises and JAX goes on. `source`: where the method is from, when it is written out.
    """

    params: tuple[str, ...] = ()
    forms: tuple[Form, ...] = ()
    defaults: Mapping[str, str] = MappingProxyType({})
    keyword_only: str = ""
    keys: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    events: int = 0
    static: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    allowed: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    refused: Mapping[str, str] = MappingProxyType({})
    excluded: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    limits: Mapping[str, float] = MappingProxyType({})
    sums: tuple[str, ...] = ()
    dtype: str = "float64"
    scalar: str = "float"
    rank: str = "size"
    writes: str = ""
    jit: bool = True
    state: bool = False
    note: str = ""
    lenient: str = ""
    source: str = ""
