"""Whether a variable of a function or of a module certainly has a value where a statement starts."""

from __future__ import annotations

import libcst as cst

from ..syntax import liveness
from ..syntax.names import collect
from ..syntax.source import Source


def surely_bound(owner: cst.FunctionDef | cst.Module, at: cst.CSTNode, name: str, source: Source) -> bool:
    """Whether a variable of a function, or of a module, is certainly bound where a statement starts."""
    if source.among(owner, cst.Del):
        return False
    while at is not owner:
        parent = source.parents[at]
        assert parent is not None
        if isinstance(parent, (cst.IndentedBlock, cst.Module)):
            before = parent.body[: parent.body.index(at)]
            if any(binds(statement, name) for statement in before):
                return True
        if isinstance(parent, cst.For) and at is parent.body and name in collect((cst.AssignTarget(parent.target),)).bound:
            return True
        at = parent
    if isinstance(owner, cst.Module):
        return False
    listed = [*owner.params.posonly_params, *owner.params.params, *owner.params.kwonly_params]
    return name in {p.name.value for p in listed}


def binds(statement: cst.CSTNode, name: str) -> bool:
    """Whether a statement always binds a variable."""
    match statement:
        case cst.SimpleStatementLine(body=parts):
            return any(name in collect((part,)).bound for part in parts if not isinstance(part, cst.Del))
        case cst.FunctionDef(name=cst.Name(value=bound)):
            return bound == name
        case cst.If(body=body, orelse=orelse) if orelse is not None:
            other = [orelse] if isinstance(orelse, cst.If) else orelse.body.body
            arms = (body, other if isinstance(orelse, cst.If) else orelse.body)
            ends = [isinstance(s, cst.BaseSuite) and not liveness.falls_through(s) for s in arms]
            found = [end or any(binds(s, name) for s in block) for end, block in zip(ends, (body.body, other), strict=True)]
            return all(found) and not all(ends)
    return False
