"""Names that stay NumPy: files, text, dates, objects, masks, random numbers, settings."""

from __future__ import annotations

from . import modules
from .entry import Entry, Memory
from .forms import expression, host, join, refused
from .modules import FILES, LAYOUT

TEXT = "it reads or writes text"
DATES = "JAX has no dates"
WARNINGS = "JAX neither warns nor raises for division by zero, overflow or invalid values"

FUNCTIONS: dict[str, Entry] = {
    **{
        name: host(FILES, params, kind=kind)
        for name, params, kind in (
            ("load", "file mmap_mode allow_pickle fix_imports encoding max_header_size", "unknown"),
            (
                "loadtxt",
                "fname dtype comments delimiter converters skiprows usecols unpack ndmin encoding max_rows quotechar like",
                "array",
            ),
            (
                "genfromtxt",
                "fname dtype comments delimiter skip_header skip_footer converters missing_values filling_values usecols names "
                "excludelist deletechars replace_space autostrip case_sensitive defaultfmt unpack usemask loose invalid_raise "
                "max_rows encoding ndmin like",
                "array",
            ),
            ("fromregex", "file regexp dtype encoding", "array"),
            ("fromfile", "file dtype count sep offset like", "array"),
            ("save", "file arr allow_pickle", "none"),
            ("savez", "file *args allow_pickle **kwds", "none"),
            ("savez_compressed", "file *args allow_pickle **kwds", "none"),
            ("savetxt", "fname X fmt delimiter newline header footer comments encoding", "none"),
        )
    },
    **{
        name: host(TEXT, params, kind="object")
        for name, params in (
            (
                "array2string",
                "a max_line_width precision suppress_small separator prefix formatter threshold edgeitems sign floatmode "
                "suffix legacy",
            ),
            ("array_repr", "arr max_line_width precision suppress_small"),
            ("array_str", "a max_line_width precision suppress_small"),
            ("base_repr", "number base padding"),
            ("binary_repr", "num width"),
            ("format_float_positional", "x precision unique fractional trim sign pad_left pad_right min_digits"),
            ("format_float_scientific", "x precision unique trim sign pad_left exp_digits min_digits"),
            ("get_printoptions", ""),
            ("printoptions", "*args **kwargs"),
            (
                "set_printoptions",
                "precision threshold edgeitems linewidth suppress nanstr infstr formatter sign floatmode legacy override_repr",
            ),
            ("info", "object maxwidth output toplevel"),
            ("show_config", "mode"),
            ("show_runtime", ""),
            ("get_include", ""),
        )
    },
    **{
        name: host(DATES, params)
        for name, params in (
            ("busday_count", "begindates enddates weekmask holidays busdaycal out"),
            ("busday_offset", "dates offsets roll weekmask holidays busdaycal out"),
            ("is_busday", "dates weekmask holidays busdaycal out"),
            ("busdaycalendar", "weekmask holidays"),
            ("datetime_as_string", "arr unit timezone casting"),
            ("datetime_data", "dtype"),
        )
    },
    "errstate": host(WARNINGS, "call all divide over under invalid", kind="object", droppable=True),
    "seterr": host(WARNINGS, "all divide over under invalid", kind="object", droppable=True),
    "seterrcall": host(WARNINGS, "func", kind="object", droppable=True),
    "setbufsize": host(WARNINGS, "size", kind="object", droppable=True),
    "geterr": host(WARNINGS, kind="object"),
    "geterrcall": host(WARNINGS, kind="object"),
    "getbufsize": host(WARNINGS, kind="object"),
    "shares_memory": refused(LAYOUT, "a b max_work"),
    "may_share_memory": refused(LAYOUT, "a b max_work"),
    "ufunc": host("the class of NumPy's ufuncs", kind="object"),
    "test": host("it runs NumPy's own tests", "label verbose extra_argv doctests coverage durations tests", kind="object"),
    "linalg.test": host("it runs NumPy's own tests", "label verbose extra_argv doctests coverage durations tests", kind="object"),
    "fft.test": host("it runs NumPy's own tests", "label verbose extra_argv doctests coverage durations tests", kind="object"),
    "lib.stride_tricks.as_strided": refused(
        f"{LAYOUT}; gather with indices instead", "x shape strides subok writeable check_bounds", memory=Memory.VIEW
    ),
    "lib.stride_tricks.sliding_window_view": expression(
        "{x}[jnp.arange({x}.shape[0] - {window_shape} + 1)[:, None] + jnp.arange({window_shape})]",
        "x window_shape axis subok writeable",
        drop=("subok",),
        drop_if={"axis": ("None",), "writeable": ("False",)},
        unsupported=("axis", "writeable"),
        ranks={"window_shape": 0},
        arrays=("x",),
        dtype="same",
        rank="2",
        static=("window_shape",),
        memory=Memory.MAYBE,
    ),
}

ENTRIES: dict[str, Entry] = join((FUNCTIONS, modules.ENTRIES))
