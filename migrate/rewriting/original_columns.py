"""The places of diagnostics in the original file, where the text was changed ahead of the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...rules.core.diagnostic import Diagnostic


def of(changed: str, original: str, lines: Sequence[int]) -> Callable[[Diagnostic], Diagnostic]:
    """Moves a diagnostic from the changed text to the original one. `lines`: the original line of each changed line, from 1.

    Columns move with the indentation of a line that is otherwise the same. Where its code differs, the whole line is meant.
    """
    before, after = changed.splitlines(), original.splitlines()

    def moved(item: Diagnostic) -> Diagnostic:
        first, last = lines[item.line - 1], lines[min(item.end_line, len(lines)) - 1]
        start = _shift(_line(before, item.line), _line(after, first))
        end = _shift(_line(before, item.end_line), _line(after, last))
        if last >= first and start is not None and end is not None:
            column, end_column = max(1, item.column + start), max(1, item.end_column + end)
            return item._replace(line=first, column=column, end_line=last, end_column=end_column)
        last, text = max(first, last), _line(after, first)
        column, end_column = len(text) - len(text.lstrip()) + 1, len(_line(after, last).rstrip()) + 1
        return item._replace(line=first, column=column, end_line=last, end_column=end_column)

    return moved


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _shift(changed: str, original: str) -> int | None:
    """How far the code of a line moved; None if it is other code."""
    if changed.strip() != original.strip():
        return None
    return (len(original) - len(original.lstrip())) - (len(changed) - len(changed.lstrip()))
