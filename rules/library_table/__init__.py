"""The table of libraries: what the commonest functions of SciPy and of the standard library return.

These functions run on the host. Code after a call computes with arrays of known kind, dtype and rank, and so can be compiled.
Nothing here imports the libraries; tests/rules/library_table runs every row.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import images, linalg, signals, special, standard, statistics
from .entry import Result, Row

__all__ = ["FUNCTIONS", "Result", "Row", "attribute", "function"]


def _under(prefix: str, entries: Mapping[str, Row]) -> dict[str, Row]:
    return {f"{prefix}.{name}": entry for name, entry in entries.items()}


FUNCTIONS: dict[str, Row] = {
    **_under("scipy.special", special.ENTRIES),
    **_under("scipy.linalg", linalg.ENTRIES),
    **_under("scipy.sparse.linalg", linalg.SPARSE),
    **_under("scipy.ndimage", images.NDIMAGE),
    **_under("scipy.spatial.distance", images.DISTANCE),
    **_under("scipy.spatial", images.SPATIAL),
    **_under("scipy.signal", signals.SIGNAL),
    **_under("scipy.fft", signals.FFT),
    **_under("scipy.interpolate", signals.INTERPOLATE),
    **_under("scipy.integrate", signals.INTEGRATE),
    **_under("scipy.io", signals.IO),
    **_under("scipy.stats", statistics.STATS),
    **_under("scipy.optimize", statistics.OPTIMIZE),
    **_under("scipy.sparse", statistics.SPARSE),
    **_under("scipy.cluster", statistics.CLUSTER),
    **_under("time", standard.TIME),
    **_under("os", standard.OS),
    **_under("statistics", standard.STATISTICS),
    **_under("cmath", standard.CMATH),
    **standard.OTHERS,
}
# Where older versions of SciPy had them.
_MOVED = ("scipy.ndimage.filters.", "scipy.ndimage.morphology.", "scipy.ndimage.interpolation.", "scipy.ndimage.measurements.")


def function(dotted: str) -> Row | None:
    """The row of a function by its dotted name, such as "scipy.ndimage.convolve"; None for any other."""
    for old in _MOVED:
        if dotted.startswith(old):
            dotted = f"scipy.ndimage.{dotted.removeprefix(old)}"
    return FUNCTIONS.get(dotted)


def attribute(cls: str, name: str) -> Result | None:
    """What an attribute of an object is that a function of the table returns; None where that is not known."""
    return statistics.ATTRIBUTES.get(cls, {}).get(name)
