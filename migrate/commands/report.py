"""The outcome for every function: counts, JSON and Markdown."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..project.outcome import Conversion, FunctionOutcome

CAUSES_SHOWN = 12
NUMPY = ("kept", "host")  # the labels of functions that stay NumPy


def summary(functions: Sequence[FunctionOutcome]) -> dict[str, Any]:
    """Counts. `share`: the fraction of the functions using NumPy that are converted, from 0 to 1; 1 if none uses NumPy."""
    numpy = [function for function in functions if counts_as_numpy(function)]
    converted = [function for function in numpy if function.label not in NUMPY]
    return {
        "functions": len(functions),
        "numpy_functions": len(numpy),
        "converted": len(converted),
        "share": len(converted) / len(numpy) if numpy else 1.0,
        "by_label": dict(Counter(function.label for function in functions).most_common()),
        "by_transform": dict(Counter(function.transform for function in converted).most_common()),
        "by_cause": [cause._asdict() for cause in causes(functions)],
        "by_condition": [asked._asdict() for asked in conditions(functions)],
        "by_reason": dict(Counter(function.reason for function in functions if function.label in NUMPY).most_common()),
    }


class Cause(NamedTuple):
    """Why functions stay NumPy, with how many of them. `reason`: without the names in it. `example`: the first of them."""

    functions: int
    code: str
    reason: str
    example: str


def causes(functions: Sequence[FunctionOutcome]) -> list[Cause]:
    """The causes for which functions that use NumPy are not converted, the most frequent first.

    A function that is not compiled since it calls another counts for the cause of that one.
    """
    by_name = {function.name: function for function in functions}
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for function in functions:
        if function.label in NUMPY and counts_as_numpy(function):
            origin = by_name.get(function.cause, function)
            origin = origin if origin.label in NUMPY else function
            found[" ".join(origin.codes), re.sub("`[^`]*`", "`…`", origin.reason)].append(function.name)
    made = [Cause(len(names), code, reason, names[0]) for (code, reason), names in found.items()]
    return sorted(made, key=lambda cause: (-cause.functions, cause.code, cause.reason))


class Asked(NamedTuple):
    """How often the label *assumed* rests on conditions of one kind, in how many functions, and how to do without them."""

    kind: str
    conditions: int
    functions: int
    closed_by: str


def conditions(functions: Sequence[FunctionOutcome]) -> list[Asked]:
    """The kinds of conditions, the most frequent first."""
    from ...rules.core.assumptions import all_kinds  # loads LibCST: with conditions, a conversion has done so

    counts = Counter(condition.kind for function in functions for condition in function.conditions)
    under = Counter(kind for function in functions for kind in {condition.kind for condition in function.conditions})
    made = [Asked(kind, number, under[kind], all_kinds()[kind].closed_by) for kind, number in counts.items()]
    return sorted(made, key=lambda asked: (-asked.conditions, asked.kind))


def counts_as_numpy(function: FunctionOutcome) -> bool:
    """Whether it is a function that uses NumPy. Module-level code is reported but is no function."""
    return function.uses_numpy and not function.name.endswith("<module>")


def as_data(conversion: Conversion, verification: Mapping[str, Any]) -> dict[str, Any]:
    """The whole report as plain data; `verification` is the result of `verify`, if it ran."""
    fields = ("file", "line", "name", "label", "transform", "codes", "reason")
    return {
        "functions": [
            {
                **{name: getattr(function, name) for name in fields},
                "conditions": [condition._asdict() for condition in function.conditions],
            }
            for function in conversion.functions
        ],
        "diagnostics": [item._asdict() for file in conversion.files for item in file.diagnostics],
        "errors": [{"file": str(file.path), "reason": file.error} for file in conversion.files if file.error],
        "summary": summary(conversion.functions),
        **({"verification": verification} if verification else {}),
    }


def as_markdown(conversion: Conversion) -> str:
    """The report as Markdown: the share, the most frequent causes, and a table of all functions."""
    lines = ["# np2jax", "", share(conversion.functions) + "."]
    found = causes(conversion.functions)
    if found:
        lines += ["", "| functions | stay NumPy because | for example |", "|---|---|---|"]
        lines += [f"| {c.functions} | {_cell(f'{c.code} {c.reason}'.strip())} | `{c.example}` |" for c in found[:CAUSES_SHOWN]]
    if rest := sum(cause.functions for cause in found[CAUSES_SHOWN:]):
        lines += [f"| {rest} | other causes | |"]
    lines += ["", "| function | where | label | how | reason |", "|---|---|---|---|---|"]
    lines += [
        f"| `{function.name}` | {_cell(function.file)}:{function.line} | {function.label} | {function.transform} "
        f"| {_cell(' '.join([*function.codes, function.reason]).strip())} |"
        for function in conversion.functions
    ]
    if asked := conditions(conversion.functions):
        lines += ["", "*assumed*: equal to NumPy under these conditions.", ""]
        lines += ["| conditions | in functions | kind | without it |", "|---|---|---|---|"]
        lines += [f"| {each.conditions} | {each.functions} | {each.kind} | {_cell(each.closed_by)} |" for each in asked]
        lines += ["", "| function | where | kind | condition |", "|---|---|---|---|"]
        lines += [
            f"| `{function.name}` | {_cell(function.file)}:{condition.line} | {condition.kind} | {_cell(condition.words)} |"
            for function in conversion.functions
            for condition in function.conditions
        ]
    errors = [file for file in conversion.files if file.error]
    if errors:
        lines += ["", "Not read:", "", *(f"- {file.error}" for file in errors)]
    return "\n".join(lines) + "\n"


def share(functions: Sequence[FunctionOutcome]) -> str:
    """The sentence that begins or ends every report."""
    counts = summary(functions)
    total, converted = counts["numpy_functions"], counts["converted"]
    scripts = sum(function.transform == "outlined" and function.name.endswith("<module>") for function in functions)
    also = f"; loops of {scripts} script{'s' if scripts > 1 else ''} are compiled" if scripts else ""
    if not total:
        return f"no function uses NumPy{also}"
    by_label = Counter(function.label for function in functions if counts_as_numpy(function))
    labels = ", ".join(f"{number} {label}" for label, number in by_label.most_common())
    uses = "function that uses NumPy is" if total == 1 else "functions that use NumPy are"
    return f"{converted} of {total} {uses} converted ({counts['share']:.0%}): {labels}{also}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
