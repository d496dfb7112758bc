"""The one table of NumPy knowledge: what every public name becomes in JAX.

Entries are data, one module per family. Look names up here; nothing here imports numpy or jax.
"""

from __future__ import annotations

from functools import cache

from . import (
    calculus,
    creation,
    dtypes,
    elementwise,
    fft,
    host,
    indexing,
    linalg,
    methods,
    polynomial,
    random,
    reductions,
    removed,
    scipy,
    shaping,
    sorting,
)
from .entry import Entry, Memory, Verdict
from .forms import join
from .ufunc_methods import ENTRIES as _UFUNC_METHODS

__all__ = [
    "FUNCTIONS",
    "METHODS",
    "OF_SCALARS",
    "Entry",
    "Memory",
    "Verdict",
    "canonical",
    "function",
    "method",
    "ufunc_method",
    "with_public_names",
]

FUNCTIONS: dict[str, Entry] = join(
    module.ENTRIES
    for module in (
        calculus,
        creation,
        dtypes,
        elementwise,
        fft,
        host,
        indexing,
        linalg,
        polynomial,
        random,
        reductions,
        removed,
        shaping,
        sorting,
    )
)
# The functions of SciPy that convert, and the names by which the analysis and the rules know them, as if they were NumPy's.
SCIPY: dict[str, str] = {name: f"numpy.{name}" for name in scipy.ENTRIES}
METHODS: dict[str, Entry] = methods.ENTRIES
OF_SCALARS = frozenset(methods.SCALARS)

_MOVED = {
    "linalg.linalg.": "linalg.",
    "linalg._linalg.": "linalg.",
    "fft._pocketfft.": "fft.",
    "fft.helper.": "fft.",
    "lib.scimath.": "emath.",
    "ma.core.": "ma.",
    "ma.extras.": "ma.",
    "matrixlib.defmatrix.": "",
    "matrixlib.": "",
}
# Public before NumPy 2; their contents are in numpy itself.
_PARTS_OF_LIB = frozenset(
    "arraypad arraysetops function_base histograms index_tricks nanfunctions npyio polynomial shape_base twodim_base type_check "
    "ufunclike utils".split()
)


@cache
def canonical(dotted: str) -> str:
    """The current name for any name of NumPy: "numpy.core.numeric.dot" and "numpy.dot" are the same.

    A name that NumPy 2 renamed gives the new one ("numpy.trapz": "numpy.trapezoid"). Other names are returned unchanged.
    """
    if not dotted.startswith("numpy."):
        return dotted
    name = dotted.removeprefix("numpy.")
    for old, new in _MOVED.items():
        if name.startswith(old) and name not in FUNCTIONS:
            name = new + name.removeprefix(old)
    if name.startswith("lib.") and name not in FUNCTIONS:
        _lib, part, *rest = name.split(".")
        short = ".".join(rest)
        if part in _PARTS_OF_LIB and (short in FUNCTIONS or short in removed.RENAMED):
            name = short
    if name.startswith(("core.", "_core.")):
        inside = name.partition(".")[2]
        name = next(
            (short for short in (inside, inside.rpartition(".")[2]) if short in FUNCTIONS or short in removed.RENAMED), name
        )
    return "numpy." + removed.RENAMED.get(name, name)


@cache
def function(dotted: str) -> Entry | None:
    """The entry of a function, class, constant or module of NumPy by its dotted name, such as "numpy.linalg.norm".

    A name below a module or a class that stays NumPy as a whole (numpy.ma, numpy.nditer ...) has the entry of that one.
    None: not a name of NumPy, or not in the table.
    """
    name = canonical(dotted)
    if not name.startswith("numpy."):
        return None
    name = name.removeprefix("numpy.")
    if name.startswith(scipy.PREFIX):
        return scipy.ENTRIES.get(name)
    while name not in FUNCTIONS:
        name, dot, _ = name.rpartition(".")
        if not dot or (name in FUNCTIONS and (FUNCTIONS[name].verdict is not Verdict.HOST or name.startswith("random."))):
            return None
    return FUNCTIONS[name]


def with_public_names(text: str) -> str:
    """The text with the functions of SciPy called as SciPy calls them, rather than as in `SCIPY`."""
    return text.replace("numpy." + scipy.PREFIX, scipy.PREFIX)


def method(name: str) -> Entry | None:
    """The entry of a method or attribute of ndarray. None: ndarray has no such public name."""
    return METHODS.get(name)


def ufunc_method(name: str) -> Entry | None:
    """The entry of a ufunc's method by its dotted name, such as "numpy.add.at". None: not a method of a known ufunc."""
    head, _, tail = canonical(name).removeprefix("numpy.").rpartition(".")
    of = FUNCTIONS.get(removed.RENAMED.get(head, head))
    if of is None or not of.ufunc:
        return None
    return _UFUNC_METHODS.get((head, tail)) or _UFUNC_METHODS.get(("", tail))
