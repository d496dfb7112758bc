"""The table as a page: what becomes of every name of NumPy, with the counts. `docs/coverage.md` is its output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from . import FUNCTIONS, METHODS, Entry, Verdict, removed
from .ufunc_methods import ENTRIES as UFUNC_METHODS

_WORDS = {
    Verdict.SAME: "the same",
    Verdict.RENAMED: "renamed",
    Verdict.ADAPTED: "adapted",
    Verdict.EXPRESSION: "an expression",
    Verdict.HOST: "stays NumPy",
    Verdict.REFUSED: "kept",
}


def page() -> str:
    """The whole page, in Markdown."""
    methods_of_ufuncs = {".".join(name): entry for name, entry in UFUNC_METHODS.items() if name[0]}
    former = {name: FUNCTIONS[new] for name, new in removed.RENAMED.items()}
    parts = [
        ("Functions, types and constants", FUNCTIONS),
        ("Methods and attributes of ndarray", METHODS),
        ("Methods of ufuncs", methods_of_ufuncs),
        ("Names that NumPy 2 renamed", former),
    ]
    lines = ["# What becomes of NumPy's names", "", "Made by `python -m np2jax.rules.numpy_table.coverage`; do not edit.", ""]
    lines += ["| | " + " | ".join(_WORDS.values()) + " |", "|---|" + "---:|" * len(_WORDS)]
    for title, entries in parts:
        counts = Counter(entry.verdict for entry in entries.values())
        lines.append(f"| {title} | " + " | ".join(str(counts[verdict]) for verdict in _WORDS) + " |")
    for title, entries in parts:
        lines += ["", f"## {title}", "", "| name | verdict | becomes | remarks |", "|---|---|---|---|", *_rows(entries)]
    return "\n".join(lines) + "\n"


def _rows(entries: Mapping[str, Entry]) -> list[str]:
    return [
        f"| `{name}` | {_WORDS[entry.verdict]} | {f'`{_short(entry.target)}`' if entry.target else ''} | {_remarks(entry)} |"
        for name, entry in sorted(entries.items(), key=lambda item: item[0].lower())
    ]


def _short(target: str) -> str:
    return target.replace("jax.numpy.", "jnp.")


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


if __name__ == "__main__":
    print(page(), end="")
