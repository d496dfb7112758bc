"""`match` with values, alternatives, wildcards, names and guards: a chain of `if` and `elif`."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.syntax import builders
from ....rules.syntax.tree import walk
from .form import Body, DesugaredStatement, with_comments


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.Match):
        return None
    subject = statement.subject
    parts = [e.value for e in subject.elements] if isinstance(subject, cst.Tuple) else [subject]
    if not all(_is_understood(case, len(parts), isinstance(subject, cst.Tuple)) for case in statement.cases):
        return None
    if isinstance(subject, cst.Tuple) and not all(isinstance(e, cst.Element) for e in subject.elements):
        return None
    first = list[cst.BaseStatement]()
    names = list[cst.BaseExpression]()
    bound = {n for case in statement.cases for n in _captured(case.pattern)}
    for part in parts:
        if not isinstance(part, cst.Name) or part.value in bound:
            name = body.fresh("subject", "matched")
            value = builders.operand(part) if isinstance(part, cst.NamedExpr) else part
            first.append(builders.assigned((name,), value))
            part = cst.Name(name)
        names.append(part)

    def edit(made: cst.Match) -> cst.FlattenSentinel[cst.BaseStatement]:
        return with_comments([*first, *_chain(made.cases, names)], made)

    return DesugaredStatement("`match`", {statement: edit})


def _captured(pattern: cst.MatchPattern) -> list[str]:
    return [n.name.value for n, _p in walk(pattern) if isinstance(n, cst.MatchAs) and n.name is not None]


def _is_understood(case: cst.MatchCase, count: int, several: bool) -> bool:
    """Whether a case only compares values for equality, and captures nothing but the whole subject."""
    if case.guard is not None and any(isinstance(n, (cst.NamedExpr, cst.Await)) for n, _p in walk(case.guard)):
        return False
    match case.pattern:
        case cst.MatchAs(pattern=None, name=name):
            return name is None or not several
        case cst.MatchTuple(patterns=parts) | cst.MatchList(patterns=parts) if several:
            every = [part.value for part in parts if isinstance(part, cst.MatchSequenceElement)]
            return len(every) == len(parts) == count and all(_is_value(p) or _is_wild(p) for p in every)
    return not several and _is_value(case.pattern)


def _is_value(pattern: cst.MatchPattern) -> bool:
    match pattern:
        case cst.MatchValue():
            return True
        case cst.MatchSingleton(value=cst.Name(value=name)):
            return name == "None"
        case cst.MatchOr(patterns=parts):
            return all(_is_value(part.pattern) for part in parts)
    return False


def _is_wild(pattern: cst.MatchPattern) -> bool:
    return isinstance(pattern, cst.MatchAs) and pattern.pattern is None and pattern.name is None


def _chain(cases: Sequence[cst.MatchCase], names: Sequence[cst.BaseExpression]) -> list[cst.BaseStatement]:
    """The `if` chain that runs the first matching case."""
    if not cases:
        return []
    case, *others = cases
    test = _test(case.pattern, names)
    if case.guard is not None:
        guard = _bool_operand(case.guard)
        test = guard if test is None else cst.BooleanOperation(_bool_operand(test), cst.And(), guard)
    name = case.pattern.name if isinstance(case.pattern, cst.MatchAs) else None
    first = [] if name is None else [builders.assigned((name.value,), names[0].deep_clone())]
    if test is None:
        return [*first, *builders.lines(case.body)]
    rest = _chain(others, names)
    orelse: cst.If | cst.Else | None = cst.Else(cst.IndentedBlock(rest)) if rest else None
    if len(rest) == 1 and isinstance(rest[0], cst.If):
        orelse = rest[0]
    block = cst.IndentedBlock(builders.lines(case.body))
    return [*first, cst.If(test.with_changes(lpar=(), rpar=()), block, orelse, leading_lines=case.leading_lines)]


def _test(pattern: cst.MatchPattern, names: Sequence[cst.BaseExpression]) -> cst.BaseExpression | None:
    """The test of a pattern; None if it always matches."""
    match pattern:
        case cst.MatchTuple(patterns=parts) | cst.MatchList(patterns=parts):
            inner = [part.value for part in parts if isinstance(part, cst.MatchSequenceElement)]
            tests = [_test(part, (name,)) for part, name in zip(inner, names, strict=True)]
            return _joined([test for test in tests if test is not None], cst.And())
        case cst.MatchOr(patterns=parts):
            return _joined([test for part in parts if (test := _test(part.pattern, names)) is not None], cst.Or())
        case cst.MatchValue(value=value):
            return cst.Comparison(names[0].deep_clone(), [cst.ComparisonTarget(cst.Equal(), value)])
        case cst.MatchSingleton(value=value):
            return cst.Comparison(names[0].deep_clone(), [cst.ComparisonTarget(cst.Is(), value)])
    return None


def _joined(tests: Sequence[cst.BaseExpression], operator: cst.BaseBooleanOp) -> cst.BaseExpression | None:
    if not tests:
        return None
    whole = tests[0] if len(tests) == 1 else _bool_operand(tests[0])
    for test in tests[1:]:
        whole = cst.BooleanOperation(whole, operator, _bool_operand(test))
    return whole


def _bool_operand(test: cst.BaseExpression) -> cst.BaseExpression:
    """An operand of `and` or `or`."""
    return builders.operand(test) if isinstance(test, (cst.BooleanOperation, cst.IfExp, cst.Lambda)) else test
