"""Every public name of the installed NumPy has a verdict in the table: the names of its modules, methods of arrays, of scalars
and of ufuncs. numpy.random is elsewhere: test_random_*.py."""

from __future__ import annotations

import importlib
import pkgutil
import types
import warnings
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from np2jax.rules.numpy_table import FUNCTIONS, METHODS, Verdict, canonical, function, ufunc_method  # noqa: E402
from np2jax.rules.numpy_table.modules import NAMES  # noqa: E402

# Subtrees that are no part of NumPy's interface: its build tools, its old private modules (they warn), what runs its tests.
APART = {"f2py", "core", "distutils", "tests", "conftest", "setup", "random", "mypy_plugin"}


def modules() -> dict[str, types.ModuleType]:
    """The public modules of the installed NumPy by dotted name; nothing else is imported, since that would leave names behind."""
    found = {"numpy": np, "numpy.emath": np.emath}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        packages = [np]
        while packages:
            package = packages.pop()
            for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
                last = info.name.rpartition(".")[2]
                if not last.startswith("_") and last not in APART:
                    module = found[info.name] = importlib.import_module(info.name)
                    packages += [module] if info.ispkg else []
    return found


def is_here(value: Any, module: str) -> bool:
    """Whether a module without `__all__` defines a name, rather than imports it."""
    return not isinstance(value, types.ModuleType) and getattr(value, "__module__", module) in (module, None)


def names(path: str, module: types.ModuleType) -> list[str]:
    listed = getattr(module, "__all__", None)
    found = list(listed) if listed else [name for name in dir(module) if is_here(getattr(module, name, None), path)]
    if path in ("numpy", "numpy.linalg", "numpy.fft"):
        found += [name for name in dir(module) if not name.startswith("_")]
    found = [name for name in found if not isinstance(getattr(module, name, None), types.ModuleType)]
    same = [name for name in found if path == "numpy.matlib" and getattr(module, name) is getattr(np, name, None)]
    return sorted({name for name in found if not name.startswith("_")} - {*same, "test", "annotations", "namedtuple"})


MODULES = modules()


@pytest.mark.parametrize("path", MODULES)
def test_every_name_of_the_module_has_a_verdict(path: str) -> None:
    for name in names(path, MODULES[path]):
        entered = canonical(f"{path}.{name}").removeprefix("numpy.")
        assert entered in FUNCTIONS, f"{path}.{name}"


def test_the_modules_are_those_that_people_know() -> None:
    known = (
        "linalg fft polynomial polynomial.chebyshev ma testing lib lib.stride_tricks char strings rec emath ctypeslib exceptions"
    )
    assert {f"numpy.{name}" for name in known.split()} <= MODULES.keys()
    assert sum(len(names(path, module)) for path, module in MODULES.items()) > 1200


def test_modules_have_verdicts_themselves() -> None:
    for path in MODULES:
        assert path == "numpy" or function(path) is not None, path


@pytest.mark.parametrize("module", NAMES)
def test_nothing_is_listed_twice_or_by_mistake(module: str) -> None:
    assert len(set(NAMES[module])) == len(NAMES[module])
    assert all(name.isidentifier() for name in NAMES[module])


def test_every_method_of_scalars_has_a_verdict() -> None:
    kinds = (np.bool_, np.int8, np.uint64, np.float16, np.float64, np.longdouble, np.complex64, np.generic)
    public = {name for kind in kinds for name in dir(kind) if not name.startswith("_")}
    assert public <= METHODS.keys() and "is_integer" in public


def ufuncs() -> dict[str, Any]:
    spaces = {"": np, "linalg.": np.linalg}
    return {
        prefix + name: value
        for prefix, space in spaces.items()
        for name, value in vars(space).items()
        if isinstance(value, np.ufunc) and value.signature is None
    }


@pytest.mark.parametrize("name", ufuncs())
def test_every_method_and_attribute_of_the_ufunc_has_a_verdict(name: str) -> None:
    for attribute in dir(np.add):
        if not attribute.startswith("_"):
            assert ufunc_method(f"numpy.{name}.{attribute}") is not None, attribute


@pytest.mark.parametrize(
    "name",
    [
        *(
            "alltrue sometrue product cumproduct row_stack trapz in1d round_ float_ complex_ unicode_ NaN Inf infty NINF PINF"
        ).split(),
        *(
            "asfarray msort find_common_type cast source safe_eval mat asscalar bool8 int0 object str int float complex bool"
        ).split(),
        *("issctype sctype2char maximum_sctype obj2sctype lookfor who deprecate disp byte_bounds recfromcsv recfromtxt").split(),
        *("core.numeric.dot core.umath.sqrt lib.function_base.average lib.index_tricks.r_ lib.npyio.loadtxt").split(),
        *(
            "compat fft.helper.fftfreq linalg.linalg.norm ma.core.masked_array ma.extras.median matrixlib.defmatrix.matrix"
        ).split(),
    ],
)
def test_names_that_numpy_removed_have_verdicts(name: str) -> None:
    entry = function(f"numpy.{name}")
    assert entry is not None and entry.verdict is not Verdict.REFUSED


def test_a_name_below_a_class_has_the_verdict_of_the_class() -> None:
    for name in ("ma.MaskedArray.mean", "polynomial.Polynomial.fit", "nditer.close", "char.chararray.upper", "dtypes.IntDType.x"):
        entry = function(f"numpy.{name}")
        assert entry is not None and entry.verdict is Verdict.HOST, name
    assert function("numpy.linalg.no_such_name") is function("numpy.no_such_name") is function("numpy.sqrt.no_such") is None
