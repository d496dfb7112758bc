"""Python's standard library: functions that read their arguments and keep nothing."""

from __future__ import annotations

from .entry import NOTHING, TEXT, Row, alike, number, row

_TIMES = "time perf_counter process_time monotonic thread_time"
_PATHS = "join dirname basename abspath realpath normpath expanduser expandvars relpath commonpath commonprefix"

TIME: dict[str, Row] = {
    **alike(_TIMES, row("", number("float"))),
    **alike(" ".join(f"{name}_ns" for name in _TIMES.split()), row("", number("int"))),
    "sleep": row("seconds", NOTHING),
    **alike("strftime ctime asctime", row("format", TEXT)),
}
OS: dict[str, Row] = {
    **alike(_PATHS, row("path", TEXT), "path."),
    **alike("exists isfile isdir isabs islink", row("path", number("bool")), "path."),
    **alike("getsize", row("path", number("int")), "path."),
    **alike("getcwd", row("", TEXT)),
    **alike("getpid", row("", number("int"))),
    **alike("makedirs mkdir remove unlink rmdir rename replace chdir", row("name", NOTHING)),
}
STATISTICS: dict[str, Row] = {
    **alike("mean median mode variance pvariance harmonic_mean", row("data", number())),
    **alike("fmean geometric_mean stdev pstdev correlation covariance", row("data", number())),
}
CMATH: dict[str, Row] = {
    **alike("exp log log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh rect", row("x", number("complex"))),
    **alike("phase", row("x", number("float"))),
    **alike("isnan isinf isfinite isclose", row("x", number("bool"))),
}
OTHERS: dict[str, Row] = {
    **alike("uname system machine processor python_version node", row("", TEXT), "platform."),
    **alike("json.dumps pprint.pformat textwrap.dedent textwrap.fill textwrap.indent", row("x", TEXT)),
    **alike("warnings.warn warnings.simplefilter warnings.filterwarnings json.dump", row("x", NOTHING)),
    **alike("sys.getsizeof os.cpu_count", row("x", number("int"))),
}
