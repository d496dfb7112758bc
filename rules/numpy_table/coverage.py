"""The table as a page: what becomes of every name of NumPy, with the counts. `docs/coverage.md` is its output.

A name makes sense on an accelerator if it creates, describes or computes with arrays of numbers. It does not if it reads files,
produces text, handles dates, records, masks or Python objects, exposes the memory layout, or belongs to NumPy's internals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from . import FUNCTIONS, METHODS, Entry, Verdict, modules, removed, scipy
from .elementwise import UFUNCS
from .ufunc_methods import ENTRIES as UFUNC_METHODS

WORDS = {
    Verdict.SAME: "the same",
    Verdict.RENAMED: "renamed",
    Verdict.ADAPTED: "adapted",
    Verdict.EXPRESSION: "an expression",
    Verdict.HOST: "stays NumPy",
    Verdict.REFUSED: "kept",
}
HEAD = """# What becomes of NumPy's names

Every public name of NumPy 2.3 to 2.5, and what NumPy 2 removed; a test walks the installed NumPy and finds each of them here, and another
runs every name that converts under both libraries. *The same*, *renamed*, *adapted* (arguments dropped, renamed, moved or wrapped, or
the result cast) and *an expression* convert; a function of an expression whose name begins with `_` is placed into the converted module,
with a docstring that says where it is from. What *stays NumPy* runs on the host inside of a converted function, which is not
compiled then. A function that uses a name that is *kept* stays NumPy as a whole. numpy.random stands at the end.

A name makes sense on an accelerator when it computes with arrays of numbers, or makes or describes them: not what reads files, makes
text, handles dates, records, masks or Python objects, shows how arrays lie in memory, or belongs to NumPy's own machinery.
"""
SCIPY = """## SciPy

What jax.scipy computes to ten digits; all else of SciPy runs on the host.
"""
NAMESPACES = ("linalg", "fft", "polynomial", "lib", "emath", "testing", "ma", "char", "strings", "rec", "ctypeslib", "dtypes")
# Refused for a reason that is unrelated to arrays of numbers.
ELSEWHERE = (
    modules.LAYOUT,
    modules.MATRICES,
    "dates",
    "it creates arrays of Python objects",
    "NumPy's arrays are on",
    "placement",
)
REDUCING = ("reduce", "accumulate", "reduceat")


def makes_sense(entry: Entry) -> bool:
    """Whether a name makes sense on an accelerator."""
    return entry.numeric or (entry.verdict is not Verdict.HOST and not entry.reason.startswith(ELSEWHERE))


def converts(entry: Entry) -> bool:
    return entry.verdict not in (Verdict.HOST, Verdict.REFUSED)


def namespaces() -> dict[str, dict[str, Entry]]:
    """The entries by namespace. For ufuncs, only the methods that NumPy supports: just `outer` for comparisons, no `reduce` for
    unary ufuncs."""
    found: dict[str, dict[str, Entry]] = {"numpy": {}, **{f"numpy.{name}": {} for name in NAMESPACES}, "others": {}}
    for name, entry in FUNCTIONS.items():
        first, dot, _rest = name.partition(".")
        if first != "random":
            found["numpy" if not dot else f"numpy.{first}" if first in NAMESPACES else "others"][name] = entry
    found["methods and attributes of arrays and scalars"] = dict(METHODS)
    found["methods of ufuncs"] = {
        f"{name}.{method}": UFUNC_METHODS.get((name, method)) or UFUNC_METHODS["", method]
        for name, entry in UFUNCS.items()
        for method in _methods(entry)
    }
    found["names that NumPy 2 renamed"] = {old: FUNCTIONS[new] for old, new in removed.RENAMED.items()}
    return found


def _methods(entry: Entry) -> tuple[str, ...]:
    if entry.kind != "array":  # two results: NumPy supports no method
        return ()
    if entry.ufunc == 1:
        return () if entry.dtype == "bool" else ("at",)  # an array of numbers cannot store the booleans of `isnan`
    return ("outer",) if _compares(entry) else ("at", "outer", *REDUCING)


def _compares(entry: Entry) -> bool:
    return entry.dtype == "bool" and "logical" not in entry.target


def counts(entries: Iterable[Entry]) -> tuple[int, int, int]:
    """The number of names, of those that make sense on an accelerator, and of those among them that convert."""
    every = list(entries)
    sensible = [entry for entry in every if makes_sense(entry)]
    return len(every), len(sensible), sum(converts(entry) for entry in sensible)


def page() -> str:
    """The whole page, in Markdown."""
    parts = namespaces()
    lines = [HEAD, "| namespace | names | make sense on an accelerator | convert | |", "|---|---:|---:|---:|---:|"]
    lines += [_counted(title, entries.values()) for title, entries in parts.items()]
    lines.append(_counted("all", [entry for entries in parts.values() for entry in entries.values()]))
    main = [entry for title, entries in parts.items() if title != "numpy.polynomial" for entry in entries.values()]
    lines.append(_counted("all but numpy.polynomial", main))
    lines += ["", "| | " + " | ".join(WORDS.values()) + " |", "|---|" + "---:|" * len(WORDS)]
    for title, entries in parts.items():
        verdicts = Counter(entry.verdict for entry in entries.values())
        lines.append(f"| {title} | " + " | ".join(str(verdicts[verdict]) for verdict in WORDS) + " |")
    for title, entries in parts.items():
        rows = _rows(entries)
        lines += ["", f"## {title}", ""] + (
            ["| name | verdict | becomes | remarks |", "|---|---|---|---|", *rows] if rows else []
        )
        lines += _modules(title)
    lines += ["", SCIPY, "| name | verdict | becomes | remarks |", "|---|---|---|---|", *_rows(scipy.ENTRIES)]
    return "\n".join(lines) + "\n"


def _counted(title: str, entries: Iterable[Entry]) -> str:
    every, sensible, converted = counts(entries)
    return f"| {title} | {every} | {sensible} | {converted} | {f'{100 * converted / sensible:.0f} %' if sensible else ''} |"


def _rows(entries: Mapping[str, Entry]) -> list[str]:
    listed = {f"{module}.{name}" for module, below in modules.NAMES.items() for name in below} | modules.NAMES.keys()
    return [
        f"| `{name}` | {WORDS[entry.verdict]} | {f'`{_short(entry.target)}`' if entry.target else ''} | {_remarks(entry)} |"
        for name, entry in sorted(entries.items(), key=lambda item: item[0].lower())
        if name not in listed
    ]


def _modules(title: str) -> list[str]:
    """The modules that stay NumPy as a whole, with the names below each in one paragraph."""
    space = title.removeprefix("numpy").removeprefix(".")
    found = []
    for module, below in modules.NAMES.items():
        first = module.partition(".")[0]
        if first == space or (title == "others" and first not in NAMESPACES):
            names = f": {', '.join(f'`{name}`' for name in below)}" if below else ""
            found.append(f"\n`numpy.{module}` stays NumPy: {FUNCTIONS[module].reason}{names}.")
    return found


def _short(target: str) -> str:
    return target.replace("jax.numpy.", "jnp.").replace("|", "\\|")


def _remarks(entry: Entry) -> str:
    said = [entry.reason, entry.note]
    said += [f"{word}: {', '.join(f'`{name}`' for name in names)}" for word, names in _arguments(entry).items() if names]
    said += [entry.lenient, entry.loud, entry.edges, "" if entry.jit else "not under jit: the shape depends on values"]
    return "; ".join(text for text in said if text).replace("|", "\\|")


def _arguments(entry: Entry) -> dict[str, tuple[str, ...]]:
    return {
        "dropped": entry.drop,
        "refused": entry.unsupported,
        "added": tuple(f"{name}={value}" for name, value in entry.add.items()),
    }
