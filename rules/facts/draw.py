"""The form of an entry in the table of random draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .values import Value

Facts = Callable[[str], Value]  # a parameter of NumPy -> what is known of its argument


class Form(NamedTuple):
    """One way to write a draw; the first one whose conditions hold is used.

    `template`: the expression in JAX, in which {parameter} stands for an argument by NumPy's name and {name_key} for one of the
    keys of `Draw.keys`. {size} is the shape of the result as a tuple; {size?} the same, left out where the parameters inside the
    call determine the shape by themselves. A keyword argument that is nothing but a parameter is left out where it has NumPy's
    default (JAX must have the same); so are `0 +`, `1 *` and `/ 1`, and a last positional argument `()`.
    `when`: parameter -> "" (left out or None), "given", "scalar" (certainly one number), "rank1" (certainly one dimension), or
    the literal that it must be.
    """

    template: str
    when: Mapping[str, str] = MappingProxyType({})


class Draw(NamedTuple):
    """What is known of one draw of `numpy.random`, or of one method that handles the state of a generator.

    `params`: NumPy's parameters in order ("*d": any number); those from `keyword_only` on are keyword-only.
    `defaults`: parameter -> NumPy's default as source. A parameter without a default is required.
    `keys`: what each key of the draw is for, as stems of names ("normal": normal_key).
    `arrays`: parameters that may be arrays and broadcast with each other and `size`.
    `vectors`: parameters that are arrays whose last dimensions belong to one draw (mean, alpha, the population of choice).
    `events`: the number of dimensions of one draw.
    `static`: parameters, besides `size`, that must be static.
    `scalars`: parameters that cannot be arrays here.
    `ignored`: parameters that have no meaning in JAX (check_valid).
    `allowed`: parameter -> the literals that are supported.
    `refused`: parameter -> why a call with a value other than the default is refused.
    `excluded`: parameter -> literal -> why a call with that value is refused. A literal is written as in the table: 'single'
    quotes, and the last part of a dotted name (np.bool_: "bool_").
    `limits`: parameter -> the largest number for which JAX draws from NumPy's distribution: a call with a larger literal is
    refused, for the reason in `note`.
    `sums`: parameters that are lists of probabilities: a call with a literal list whose sum is not 1 is refused, too.
    `dtype`: of NumPy's result: a name; "param" (the argument `dtype`, else the default); "same" (as the first vector; int64 where
    that is a scalar); "bytes"; "" for none.
    `scalar`: what NumPy returns for one number: a Python "float" or "int", which is weak in NumPy and not in JAX, or "numpy".
    `rank`: "size", "choice" (of the population, one dimension replaced by `size`), "same" (as the first vector, 1 for a scalar),
    "rows" (as the first vector, its dimensions but the last replaced by `size` where that is an argument).
    `writes`: the parameter that NumPy changes in place: the expression is its new value, and the value of the call itself is
    None.
    `jit`: False where the result is a Python value and cannot be traced.
    `state`: a method or attribute that handles the state, and draws nothing.
    `note`: a difference that is not reported.
    `lenient`: where NumPy raises and JAX does not.
    `source`: the class of the method, where it is written out.
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
