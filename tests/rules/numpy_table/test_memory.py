"""Whether results share memory with their arguments is as the table says: a view taken for new gives silently wrong programs.

Every call of `tests/data/numpy_calls.txt` that NumPy accepts is made on arrays that are contiguous, transposed, strided and
reversed, and `np.shares_memory` is asked about every array that it was given.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("jax")

from np2jax.rules.numpy_table import METHODS, Entry, Memory, canonical, method  # noqa: E402
from np2jax.tests.helpers.numpy_calls import LEADS, LINES, call, entry_of, parsed  # noqa: E402
from np2jax.tests.helpers.numpy_samples import FIXED, partner, sample, square  # noqa: E402
from np2jax.tests.helpers.numpy_table_applied import bind  # noqa: E402

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": np.ascontiguousarray,
    "transposed": lambda array: np.asfortranarray(array) if array.ndim > 1 else array,
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array,
    "reversed": lambda array: np.flip(np.flip(array).copy()),
}
# Calls that are refused or stay on the host, whose results the analysis must still know.
ALSO = """real_if_close(x)
asarray_chkfinite(x)
asmatrix(M)
lib.stride_tricks.sliding_window_view(v, 2)
lib.stride_tricks.as_strided(v, (2,), (8,))
x.view()
x.view("int64")
x.getfield("float64")
x.byteswap()
array(x, copy=None)
asarray(x, copy=False)
astype(x, "float64", copy=False)
x.astype("float64", copy=False)
linalg.matrix_power(Q, 1)
ravel(x, "F")
ravel(M, "C")
reshape(M, (3, 4))
reshape(M, (12,), "F")
x.ravel()
x.reshape(-1)
squeeze(x, ())
diff(v, n=0)
polyder(v, 0)
polyint(v, 0)
rot90(M, 0)
einsum("ij->ij", M)
einsum("ij->", M)
einsum("ij,ij->ij", M, M)
ascontiguousarray(v)
require(x, None, "C")
nan_to_num(x, copy=False)
broadcast_arrays(x, y)
meshgrid(v, w, copy=False, sparse=True)
atleast_3d(v)
real_if_close(x + 0j)
real(x + 0j)
imag(x + 0j)
ix_(v3, v4)
histogram2d(v, w, bins=[edges, edges])
histogram2d(v, w, edges)
histogramdd(rows3, [edges, edges, edges])
histogram_bin_edges(v, edges)
block([x])
block(x)
concatenate([x])
stack([x])
vstack([x])
hstack([x])
dstack([cube])
column_stack([x])
tile(x, 1)
repeat(v, 1)
pad(x, 0)
delete(v, [])
append(v, [])
insert(v, [], [])
roll(x, 0)
resize(x, (3, 4))
kron(x, 1)
sum(x, axis=())
max(x, axis=())
mean(x, axis=())
median(x, axis=0)
percentile(x, 0, axis=0)
choose(0, [x, x])
choose(1, [x, x])
round(i)
round(x, 0)
around(i, 1)
fix(x)
tril(M, 9)
triu(M, -9)
positive(x)
conj(x)
trunc(i)
floor(i)
i.round()
x.round(0)
x.clip(None, 99)
x.repeat(1)
x.sum(axis=())
x.choose([x0])
i.conj()
x.cumsum(0)
sort_complex(v)
apply_along_axis(lambda row: row, 1, M)
piecewise(x, [x > 1], [lambda z: z])
select([x > -99], [x])
where(True, x, y)
copy(x)
flip(x, ())
moveaxis(M, 0, 0)
swapaxes(M, 0, 0)
rollaxis(M, 0)
transpose(v)
broadcast_to(M, (3, 4))
linalg.multi_dot([Q, R])
linalg.qr(Q, "raw")
tensordot(x, 1, 0)
average(x, axis=0, returned=True)
unique(v)
intersect1d(v, w, True)
setdiff1d(v, w, assume_unique=True)
union1d(v, v)
unique_values(v)
split(v, 1)
array_split(v, 1)
unstack(v)
trim_zeros(v, "")
fft.fftshift(v)
fft.ifftshift(M, ())
interp(v, xp5, fp5)
gradient(v)
maximum(x, x)
clip(x, None, 99)
nan_to_num(i)
ediff1d(v, [], [])
poly([1.0])
roots(v)
compress(b, b)
take(v, slice(0, 3))
extract(b, b)
""".splitlines()


def _lead(name: str) -> Any:
    match name:
        case "v" | "n":
            return sample((5,), "float64")
        case "Q" | "P":
            return square("float64")
        case "i":
            return sample((3, 4), "int64")
        case "b":
            return sample((3, 4), "bool")
        case _:
            return sample((3, 4), "float64")


def _environments(line: str) -> Iterator[tuple[str, dict[str, Any]]]:
    words = re.findall(rf"\b[{LEADS}]\b", re.sub(r'"[^"]*"|lambda \w[^:]*:[^,)]*', "", line))
    array = _lead(words[0]) if words else sample((3, 4), "float64")
    for layout, change in LAYOUTS.items():
        fixed = {name: change(value) if isinstance(value, np.ndarray) else value for name, value in FIXED.items()}
        names = {"x": "xy", "v": "vw", "Q": "QR", "i": "ij"}.get(words[0] if words else "", words[0] if words else "")
        made = {name: change(array if position == 0 else partner(array)) for position, name in enumerate(names)}
        if names == "M":
            made["v"] = change(sample((4,), "float64"))
        yield layout, {**fixed, **made}


def _arrays(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in _arrays(item)]
    return []


def _run(line: str, environment: Mapping[str, Any]) -> tuple[Any, dict[str, list[Any]], str]:
    """The result, the arrays given by parameter, and the parameter that comes first."""
    owner, name, source = parsed(line)
    entry = entry_of(line)
    args, kwargs = eval(f"call{source}", {"call": call, **environment}) if source else ((), {})
    bound, keywords = bind(entry, args, kwargs)
    given: dict[str, list[Any]] = {}
    for parameter, value in [*bound, *keywords.items()]:
        given.setdefault(parameter, []).extend(_arrays(value))
    if owner:
        given["self"] = [environment[owner]]
        found = getattr(environment[owner], name)
        return (found(*args, **kwargs) if source else found), given, "self"
    found = np
    for part in canonical(f"numpy.{name}").split(".")[1:]:
        found = getattr(found, part)
    return found(*args, **kwargs), given, entry.params[0] if entry.params else ""


def _may_share(entry: Entry, line: str, first: str) -> set[str]:
    """The parameters that the table lets the result share memory with."""
    if entry.memory is Memory.NEW and not any(re.search(rf"\b{name}=(?!True)", line) for name in entry.views_if):
        return set()
    return set(entry.shares or (first,))


@pytest.mark.parametrize("line", [*LINES, *ALSO])
def test_memory_is_shared_as_the_table_says(line: str) -> None:
    entry = entry_of(line)
    if entry.writes:
        return
    for layout, environment in _environments(line):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result, given, first = _run(line, environment)
            except (TypeError, ValueError, IndexError, AttributeError, np.linalg.LinAlgError):
                continue
        found = [np.asarray(result.base)] if isinstance(result, np.flatiter) else _arrays(result)
        sharing = {
            parameter
            for parameter, arrays in given.items()
            if any(np.shares_memory(a, b) for a in arrays for b in found if b.size)
        }
        allowed = _may_share(entry, line, first)
        if "+ 0j" in line:
            continue  # of a complex array that the call itself makes
        assert sharing <= allowed, f"{line}, {layout}: shares memory with {sharing}"
        if entry.memory is Memory.VIEW and first in given and given[first] and found and all(array.size for array in found):
            assert sharing, f"{line}, {layout}: not a view"


def test_maybe_is_not_said_of_what_never_shares() -> None:
    shared: dict[str, bool] = {}
    for line in [*LINES, *ALSO]:
        entry = entry_of(line)
        if entry.memory is Memory.NEW or entry.writes:
            continue
        for _, environment in _environments(line):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    result, given, _ = _run(line, environment)
                except (TypeError, ValueError, IndexError, AttributeError):
                    continue
            base = [np.asarray(result.base)] if isinstance(result, np.flatiter) else _arrays(result)
            name = parsed(line)[1]
            now = any(np.shares_memory(a, b) for arrays in given.values() for a in arrays for b in base)
            shared[name] = shared.get(name, False) or now
    assert {name for name, seen in shared.items() if not seen} <= {"fromfunction"}  # what its function returns


def test_every_view_of_ndarray_is_measured() -> None:
    measured = {parsed(line)[1] for line in [*LINES, *ALSO] if parsed(line)[0]}
    views = {name for name, entry in METHODS.items() if entry.memory is not Memory.NEW and hasattr(np.ndarray, name)}
    assert views - measured == {"base", "data", "ctypes", "to_device"}
    assert method("to_device") is not None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_complex_parts_are_views(layout: str) -> None:
    array = LAYOUTS[layout](sample((3, 4), "complex128"))
    for part in (np.real(array), np.imag(array), array.real, array.imag, np.real(array.real)):
        assert np.shares_memory(part, array)
