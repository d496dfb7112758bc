"""Selecting elements, storing them, and computing indices."""

from __future__ import annotations

from .entry import Entry, Memory
from .forms import expression, host, jnp, join, names

_INPLACE = {"inplace": "False"}
OUT_OF_BOUNDS = "an index out of bounds: NumPy raises, JAX gives NaN or the last element, and drops writes"
_INT = "int64"

READS: dict[str, Entry] = {
    "take": jnp(
        "take",
        "a indices axis out mode",
        drop_if={"mode": ("'raise'",)},
        arrays=("a", "indices"),
        promotes=("a",),
        dtype="same",
        static=("axis", "mode"),
        lenient=OUT_OF_BOUNDS,
    ),
    "take_along_axis": jnp(
        "take_along_axis",
        "arr indices axis",
        arrays=("arr", "indices"),
        promotes=("arr",),
        dtype="same",
        rank="along",
        static=("axis",),
        lenient=OUT_OF_BOUNDS,
    ),
    "choose": jnp(
        "choose",
        "a choices out mode",
        allowed={"mode": ("'wrap'", "'clip'")},
        arrays=("a",),
        sequences=("choices",),
        promotes=("choices",),
        dtype="promote",
        rank="broadcast",
        static=("mode",),
        jit=False,
    ),
    "compress": jnp(
        "compress",
        "condition a axis out",
        arrays=("condition", "a"),
        promotes=("a",),
        dtype="promote",
        rank="flat",
        static=("axis",),
        jit=False,
    ),
    "extract": jnp(
        "extract", "condition arr", arrays=("condition", "arr"), promotes=("arr",), dtype="promote", rank="1", jit=False
    ),
    "nonzero": jnp("nonzero", "a", arrays=("a",), kind="tuple", dtype=_INT, rank="1", jit=False),
    "flatnonzero": jnp("flatnonzero", "a", arrays=("a",), dtype=_INT, rank="1", jit=False),
    "argwhere": jnp("argwhere", "a", arrays=("a",), dtype=_INT, rank="2", jit=False),
}

WRITES: dict[str, Entry] = {
    "put": jnp(
        "put",
        "a ind v mode",
        drop_if={"mode": ("'raise'",)},
        add=_INPLACE,
        arrays=("ind", "v"),
        dtype="same",
        rank="same",
        kind="none",
        static=("mode",),
        writes="a",
        lenient=OUT_OF_BOUNDS,
    ),
    "place": jnp("place", "arr mask vals", add=_INPLACE, arrays=("mask", "vals"), kind="none", writes="arr"),
    "putmask": expression(
        "jnp.where({mask}, jnp.resize({values}, {a}.shape), {a}).astype({a}.dtype)",
        "a mask values",
        arrays=("mask", "values"),
        kind="none",
        writes="a",
    ),
    "copyto": expression(
        "jnp.where({where}, {src}, {dst}).astype({dst}.dtype)",
        "dst src casting where",
        drop=("casting",),
        defaults={"where": "True"},
        arrays=("src", "where"),
        kind="none",
        writes="dst",
    ),
    "put_along_axis": jnp(
        "put_along_axis",
        "arr indices values axis",
        add=_INPLACE,
        arrays=("indices", "values"),
        kind="none",
        static=("axis",),
        writes="arr",
        lenient=OUT_OF_BOUNDS,
    ),
    "fill_diagonal": jnp(
        "fill_diagonal",
        "a val wrap",
        add=_INPLACE,
        arrays=("val",),
        kind="none",
        static=("wrap",),
        writes="a",
        refused_if={"wrap": ("True",)},
    ),
}

INDICES: dict[str, Entry] = {
    "ix_": jnp(
        "ix_",
        "*args",
        arrays=("*args",),
        kind="tuple",
        memory=Memory.MAYBE,
        shares=("*args",),
        loud="bool arguments: use np.flatnonzero of them",
    ),
    "diag_indices": jnp("diag_indices", "n ndim", kind="tuple", dtype=_INT, rank="1", static=("n", "ndim")),
    "diag_indices_from": jnp("diag_indices_from", "arr", kind="tuple", dtype=_INT, rank="1"),
    "tril_indices": jnp("tril_indices", "n k m", kind="tuple:2", dtype=_INT, results=("1", "1"), static=names("n k m")),
    "triu_indices": jnp("triu_indices", "n k m", kind="tuple:2", dtype=_INT, results=("1", "1"), static=names("n k m")),
    "tril_indices_from": jnp("tril_indices_from", "arr k", kind="tuple:2", dtype=_INT, results=("1", "1"), static=("k",)),
    "triu_indices_from": jnp("triu_indices_from", "arr k", kind="tuple:2", dtype=_INT, results=("1", "1"), static=("k",)),
    "mask_indices": jnp(
        "mask_indices", "n mask_func k", kind="tuple:2", dtype=_INT, rank="1", static=names("n mask_func k"), jit=False
    ),
    "unravel_index": jnp(
        "unravel_index",
        "indices shape order",
        drop_if={"order": ("'C'",)},
        unsupported=("order",),
        arrays=("indices",),
        kind="tuple",
        dtype=_INT,
        rank="same",
        static=("shape",),
        lenient=OUT_OF_BOUNDS,
    ),
    "ravel_multi_index": jnp(
        "ravel_multi_index",
        "multi_index dims mode order",
        sequences=("multi_index",),
        dtype=_INT,
        rank="sequence",
        static=names("dims mode order"),
        jit=False,
    ),
}

_WALK = "it walks over the array in Python"
_IN_MEMORY = "it walks over the array in Python, in the order in which NumPy's lies in memory"

WALKS: dict[str, Entry] = {
    "ndindex": host("the shape is static: the indices are Python integers", "*shape", kind="object"),
    "ndenumerate": host(_WALK, "arr", kind="object"),
    "nditer": host(
        _IN_MEMORY,
        "op flags op_flags op_dtypes order casting op_axes itershape buffersize",
        kind="object",
        allowed={"order": ("'C'", "'F'")},
    ),
    "nested_iters": host(
        _IN_MEMORY,
        "op axes flags op_flags op_dtypes order casting buffersize",
        kind="object",
        allowed={"order": ("'C'", "'F'")},
    ),
    "flatiter": host(_WALK, kind="object"),
    "broadcast": host("it describes shapes; use np.broadcast_shapes", "*arrays", kind="object"),
    "apply_over_axes": jnp("apply_over_axes", "func a axes", arrays=("a",), static=("func", "axes")),
    "apply_along_axis": jnp(
        "apply_along_axis",
        "func1d axis arr *args **kwargs",
        arrays=("arr",),
        static=("func1d", "axis"),
        note="the function is traced once for all slices: it must not branch on values",
    ),
}

ENTRIES: dict[str, Entry] = join((READS, WRITES, INDICES, WALKS))
