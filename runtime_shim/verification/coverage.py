"""How much was compared: the functions, and the lines and branches of them that ran in calls that both versions made."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..sandbox.staging import Function

Arcs = Mapping[str, set[tuple[int, int]]]  # by file: which line ran after which in one frame; 0: none
SILENT = (ast.Global, ast.Nonlocal, ast.Try, ast.TryStar)  # statements without an instruction of their own


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        return f"{self.done} of {self.total}"


@dataclass(frozen=True, slots=True)
class Compared:
    """What a verification compared. A line is a statement in a function; a branch is one side of an `if`, `while` or `for`.

    `converted`: lines of the converted version that ran or were traced. `unreached`: by file, lines of the original
    that ran in no compared call, of functions of which others did.
    """

    functions: Share = field(default_factory=Share)
    lines: Share = field(default_factory=Share)
    branches: Share = field(default_factory=Share)
    converted: Share = field(default_factory=Share)
    unreached: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of the original's lines and branches, in percent; 100 for code without functions."""
        total = self.lines.total + self.branches.total
        return 100.0 * (self.lines.done + self.branches.done) / total if total else 100.0

    def __str__(self) -> str:
        if not self.functions.total:
            return "compared: whole programs only, since there are no functions"
        branches = f" and {self.branches} branches" if self.branches.total else ""
        return (
            f"compared: {self.functions} functions; {self.lines} lines{branches} of the original ({self.share:.0f}%); "
            f"{self.converted} lines of the converted version"
        )


def measured(
    functions: Share, original: Mapping[str, Iterable[Function]], converted: Mapping[str, Iterable[Function]],
    seen: tuple[Collection[str], Collection[str]],
) -> Compared:  # fmt: skip
    """How much of the functions of both versions, by file, ran. `seen`: what was followed of each (see LineTrace)."""
    before, after = map(arcs, seen)
    lines, branches, unreached = _lines(original, before), _branches(original, before), dict[str, tuple[int, ...]]()
    for file, found in lines.items():
        if missed := sorted(line for lines in found for line, ran in lines.items() if any(lines.values()) and not ran):
            unreached[file] = tuple(missed)
    shares = [
        _share(ran for found in each.values() for lines in found for ran in lines.values())
        for each in (lines, _lines(converted, after))
    ]
    return Compared(functions, shares[0], _share(branches), shares[1], unreached)


def arcs(features: Collection[str]) -> Arcs:
    """The arcs among what LineTrace found: "file:before>after"."""
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for feature in features:
        file, colon, rest = feature.rpartition(":")
        before, _, after = rest.partition(">")
        if colon and before.isdigit() and after.isdigit():
            found[file].add((int(before), int(after)))
    return found


def _share(ran: Iterable[bool]) -> Share:
    known = list(ran)
    return Share(sum(known), len(known))


def _lines(functions: Mapping[str, Iterable[Function]], known: Arcs) -> dict[str, list[dict[int, bool]]]:
    """For each function, by file, the first lines of its statements, and whether each ran."""
    found: dict[str, list[dict[int, bool]]] = {}
    for file, each in functions.items():
        ran = {line for arc in known.get(file, ()) for line in arc}
        own = [map(_own_lines, _statements(function)) for function in each]
        found[file] = [{lines.start: not ran.isdisjoint(lines) for lines in function} for function in own]
    return found


def _statements(function: Function) -> Iterator[ast.stmt]:
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function and not isinstance(node, SILENT):
            constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not constant and not (isinstance(node, ast.AnnAssign) and node.value is None):
                yield node


def _own_lines(statement: ast.stmt) -> range:
    """The lines of a statement, of a compound statement those of its header."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    first = _first(statement)
    if not isinstance(body, list):
        return range(first, (statement.end_lineno or first) + 1)
    inner = body[0].pattern.lineno if isinstance(body[0], ast.match_case) else _first(body[0])
    return range(first, max(first + 1, inner))


def _first(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _branches(functions: Mapping[str, Iterable[Function]], known: Arcs) -> Iterator[bool]:
    """For each side of each `if`, `while` and `for` whether it was taken. Not those that stand on one line, or always run."""
    for file, each in functions.items():
        here = known.get(file, set())
        for function in each:
            for node in ast.walk(function):
                if not isinstance(node, ast.If | ast.While | ast.For):
                    continue
                if not isinstance(node, ast.For) and isinstance(node.test, ast.Constant):
                    continue
                test, body = _own_lines(node), _first(node.body[0])
                if body not in test:
                    left = {after for before, after in here if before in test and after not in test}
                    yield body in left
                    yield bool(left - {body})
