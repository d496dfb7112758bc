"""`for i in range(n)` with a body that binds `i`: a new variable counts the iterations, and `i` is an ordinary variable."""

from __future__ import annotations

import libcst as cst

from ....rules.syntax import builders
from ...syntax.names import bound_by
from .form import Body, DesugaredStatement


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.For) or not isinstance(statement.target, cst.Name):
        return None
    name = statement.target.value
    if (
        body.scopes.iteration_space(statement).function != "range"
        or name in body.captured
        or name not in bound_by(statement.body)
    ):
        return None
    count = body.fresh(f"{name}_turn")
    first = builders.assigned((name,), cst.Name(count))

    def counted(made: cst.For) -> cst.For:
        lines = [first, *builders.lines(made.body)]
        body = made.body.with_changes(body=lines) if isinstance(made.body, cst.IndentedBlock) else cst.IndentedBlock(lines)
        return made.with_changes(target=cst.Name(count), body=body)

    return DesugaredStatement("a loop whose body rebinds its variable", {statement: counted})
