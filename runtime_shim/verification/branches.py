"""The branches of a function that no call has reached, in words."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from ..sandbox.comparisons import headers, is_followed, place

TRUE_SIDES: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=", ast.NotEq: "<>"}
SIDES = "<=>"
MOST_NAMED = 12


def never_reached(sources: Sequence[ast.AST], file: str, seen: Collection[str]) -> list[str]:
    """The branches that were not taken, of those functions of which a line ran. `seen`: the features that LineTrace found."""
    arcs = _arcs(file, seen)
    ran = {line for arc in arcs for line in arc}
    found: dict[str, None] = {}
    for source in sources:
        assert isinstance(source, ast.FunctionDef | ast.AsyncFunctionDef)
        if not ran.intersection(range(source.lineno + 1, (source.end_lineno or source.lineno) + 1)):
            continue
        found |= dict.fromkeys([*_statements(source, arcs, ran), *_comparisons(source, file, seen)])
    named = [*found]
    return named if len(named) <= MOST_NAMED else [*named[:MOST_NAMED], f"{len(named) - MOST_NAMED} more"]


def _arcs(file: str, seen: Collection[str]) -> set[tuple[int, int]]:
    arcs = set()
    for feature in seen:
        where, colon, rest = feature.rpartition(":")
        if colon and where == file and ">" in rest:
            before, _, after = rest.partition(">")
            arcs.add((int(before), int(after)))
    return arcs


def _statements(source: ast.AST, arcs: set[tuple[int, int]], ran: set[int]) -> Iterator[str]:
    for node in ast.walk(source):
        if not isinstance(node, ast.If | ast.While):
            continue
        test = range(node.lineno, (node.test.end_lineno or node.lineno) + 1)
        body = node.body[0].lineno
        words = f"line {node.lineno} `{_words(node.test)}`"
        if body in test:
            continue  # all on one line
        if not ran.intersection(test):
            yield f"{words} never ran"
            continue
        left = {after for before, after in arcs if before in test and after not in test}
        if body not in left:
            yield f"{words} is never true"
        if not left - {body} and not _is_forever(node):
            yield f"{words} is never false"


def _comparisons(source: ast.AST, file: str, seen: Collection[str]) -> Iterator[str]:
    """Comparisons of elements, and in expressions: `np.where(x > 0, ...)`, `a if x > 0 else b`."""
    tests = {id(node) for one in ast.walk(source) if isinstance(one, ast.If | ast.While) for node in ast.walk(one.test)}
    for line, expression in headers(source):
        for node in ast.walk(expression):
            if not isinstance(node, ast.Compare) or id(node) in tests or not is_followed(node):
                continue
            sides = {side for side in SIDES if f"{file}#{place(node)}.0{side}" in seen}
            true = TRUE_SIDES[type(node.ops[0])]
            if sides and not sides & set(true):
                yield f"line {line} `{_words(node)}` is never true"
            if sides and not sides - set(true):
                yield f"line {line} `{_words(node)}` is never false"


def _is_forever(node: ast.If | ast.While) -> bool:
    return isinstance(node.test, ast.Constant)


def _words(node: ast.expr) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else f"{text[:37]}..."
