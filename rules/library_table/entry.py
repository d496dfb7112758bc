"""The structure of an entry in the table of libraries."""

from __future__ import annotations

from typing import NamedTuple

from ..core.findings import Kind


class Result(NamedTuple):
    """What one result is.

    `dtype`: a dtype name, or "int", "float", "complex", "bool" for Python's scalars; "" unknown; "same" (as the first of
    `Row.arrays`), "promote" (of all of them), "float" (as "promote", integers to float64; unknown for the narrow dtypes, on which
    versions of SciPy differ), "double" (as "float", unknown if that is not float64), "real" (as "float", complex to its real part's), "plain" (as "float", unknown for
    complex), "complex" (as "float", then complex).
    `rank`: "" unknown, a number, "same" (as the first of `Row.arrays`), "broadcast" (of all of them), "plus:N", "minus:N",
    "reduce:DEFAULT" (by the argument `axis`, which is DEFAULT where it is omitted), "flat" (1 if `axis` is omitted or None, else the
    same), "last" (as the last of them, if the first is a matrix). An array of rank 0 is a scalar.
    `name`: the class of an object.
    """

    kind: Kind
    dtype: str = ""
    rank: str = ""
    name: str = ""


class Row(NamedTuple):
    """A function of a library, which runs on the host, and returns NumPy arrays or Python's values.

    `params`: the leading parameters, in order, and those that other fields name. `results`: one, or those of a tuple.
    `arrays`: the parameters that determine dtype and rank. `writes`: parameters into whose arrays it may write.
    `unless`: parameters that change the kinds of the results where they are passed. `retains`: the result refers to the arguments.
    """

    params: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()
    arrays: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    retains: bool = False


def array(dtype: str = "", rank: str = "") -> Result:
    return Result(Kind.ARRAY, dtype, rank)


def number(dtype: str = "") -> Result:
    return Result(Kind.SCALAR, dtype, "0")


def instance(name: str) -> Result:
    return Result(Kind.OBJECT, name=name)


UNKNOWN = Result(Kind.UNKNOWN)
TEXT = Result(Kind.STRING)
NOTHING = Result(Kind.NONE)


def row(
    params: str, *results: Result, arrays: str | None = None, writes: str = "", unless: str = "", retains: bool = False
) -> Row:
    """An entry; the first parameter determines dtype and rank unless `arrays` names others."""
    names = tuple(params.split())
    return Row(
        names,
        results,
        names[:1] if arrays is None else tuple(arrays.split()),
        tuple(writes.split()),
        tuple(unless.split()),
        retains,
    )


def alike(names: str, entry: Row, prefix: str = "") -> dict[str, Row]:
    """One entry for many names."""
    return dict.fromkeys((f"{prefix}{name}" for name in names.split()), entry)
