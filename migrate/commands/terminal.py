"""Output for the user: tables and colours on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ..project.outcome import Conversion, FunctionOutcome
from ..project.progress import shown
from .report import causes, conditions, share

if TYPE_CHECKING:
    from ..files.in_place_writer import Change

DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
KEPT_SHOWN = 20
KINDS_SHOWN = 5


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Show progress while something takes time, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status, shown(lambda doing: status.update(f"{what}: {doing}")):
        yield


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], headed: bool = False) -> None:
    """Print a table; without a terminal, as columns of plain text, under the headings if it is `headed`."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        grid = Table(*headings, box=None, pad_edge=False)
        for row in rows:
            grid.add_row(*row)
        Console().print(grid, markup=False)
        return
    rows = [headings, *rows] if headed else rows
    widths = [max(len(row[column]) for row in rows) for column in range(len(headings))] if rows else []
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def markdown(text: str) -> None:
    """Print Markdown, rendered on a terminal."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
        return
    click.echo(text)


def diff(changes: Sequence[Change]) -> None:
    """Print the changes as unified diffs, coloured on a terminal."""
    import difflib

    for change in changes:
        before, after = (_lines(data) for data in (change.before, change.after))
        for line in difflib.unified_diff(before, after, str(change.path), str(change.path)):
            end = "" if line.endswith("\n") else "\n\\ No newline at end of file\n"
            click.secho(line.rstrip("\n"), fg=DIFF_COLOURS.get(line[0]), nl=False)
            click.echo(end or "\n", nl=False)


def functions(conversion: Conversion) -> None:
    """Print which functions are left as NumPy and why, then the share of converted functions, and what it assumes."""
    left_as_numpy = [function for function in conversion.functions if function.label == "kept"]
    for function in left_as_numpy[:KEPT_SHOWN]:
        click.echo(f"{function.file}:{function.line}: kept {function.name}: {function.reason}{_codes(function)}")
    if len(left_as_numpy) > KEPT_SHOWN:
        click.echo(f"and {len(left_as_numpy) - KEPT_SHOWN} more; --report FILE.md lists them all")
    found = causes(conversion.functions)
    if found and found[0].functions > 1:
        first = found[0]
        click.echo(f"the most frequent cause, for {first.functions} functions that stay NumPy: {first.reason} ({first.code})")
    click.echo(share(conversion.functions))
    if asked := conditions(conversion.functions):
        kinds = ", ".join(f"{each.conditions} {each.kind}" for each in asked[:KINDS_SHOWN])
        more = ", ..." if len(asked) > KINDS_SHOWN else ""
        total = sum(each.conditions for each in asked)
        click.echo(f"{total} condition{'s are' if total > 1 else ' is'} assumed ({kinds}{more}); --report FILE.md lists them")


def measured(conversion: Conversion, slower: Mapping[str, str]) -> None:
    """Print what became of the functions that JAX does not make faster; `slower`: the measured times."""
    found = [function for function in conversion.functions if function.name in slower]
    for function in found[:KEPT_SHOWN]:
        what = f"compiled, because compiled code calls it: {slower[function.name]}" if function.transform else function.reason
        click.echo(f"{function.file}:{function.line}: {function.label} {function.name}: {what}")
    if len(found) > KEPT_SHOWN:
        click.echo(f"and {len(found) - KEPT_SHOWN} more that are not faster; --report FILE.md lists them all")


def _lines(data: bytes) -> list[str]:
    return io.StringIO(data.decode("utf-8", "replace"), newline="\n").readlines()  # a carriage return does not end a line


def _codes(function: FunctionOutcome) -> str:
    return f" ({', '.join(function.codes)})" if function.codes else ""
