"""What an editor shows under the pointer: what is known about a variable, and where the function around it runs once converted."""

from __future__ import annotations

from collections.abc import Sequence

from ..project.outcome import FunctionOutcome
from ..project.values_at import ValueAt
from .analysis import Facts

RUNS = {
    "jit": "JAX, compiled by `jit`",
    "eager": "JAX, not compiled",
    "outlined": "NumPy, and JAX in loops that `jit` compiles",
    "both": "NumPy, with a version beside it that `jit` compiles",
    "": "NumPy",
}


def text_at(facts: Facts, line: int, column: int) -> tuple[ValueAt, str] | None:
    """The variable at a place, and what is said about it in Markdown; None if there is none."""
    here = next((each for each in facts.values if each.line == line and each.column <= column <= each.end_column), None)
    if here is None:
        return None
    lines = [f"`{here.name}`: {here.value}"]
    owner = next((each for each in facts.functions if each.name == here.function), None)
    if owner is not None:
        lines.append(where(owner))
    return here, "\n\n".join(lines)


def where(function: FunctionOutcome) -> str:
    """Where a function runs after its conversion, and the reason if it stays NumPy."""
    name = function.name.rpartition(".")[2]
    reason = f": {function.reason}" if function.reason else ""
    assumed = f"; {_conditions(function)}" if function.conditions else ""
    return f"Converted, `{name}` is {RUNS[function.transform]}{reason} ({function.label}{assumed})"


def _conditions(function: FunctionOutcome) -> str:
    kinds: Sequence[str] = sorted({condition.kind for condition in function.conditions})
    return ", ".join(kinds)
