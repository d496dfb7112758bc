"""`for ...: ...; if verbose: print(loss)`: statements that jit cannot compile, and that only an option asks for. The loop is written twice, as
it is for the option, and without them; the second one may be compiled.

    if verbose:
        for i in range(n):
            ...
            if verbose and i % 100 == 0:
                print(loss)
    else:
        for i in range(n):
            ...
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import reduce

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.syntax import builders
from ....rules.syntax.comparisons import OF_NUMBERS, chain, tests_flag
from ....rules.syntax.source_text import code
from ....rules.syntax.tree import walk
from ...syntax.names import bound_by
from .form import Body, DesugaredStatement

MOST_OPTIONS = 3


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, (cst.For, cst.While)):
        return None
    found = of_loop(statement, body)
    if found is None:
        return None
    test, optional = found
    name = code(test)
    asked = [set(_disjuncts(above.test)) for above in body.source.above(statement) if isinstance(above, cst.If)]
    if name in body.kept or any(not each.isdisjoint(_disjuncts(test)) for each in asked):
        return None

    def edit(made: cst.For | cst.While) -> cst.If:
        short = without(made, optional)
        whole = made.deep_clone().with_changes(leading_lines=())
        other = cst.Else(cst.IndentedBlock([short.with_changes(leading_lines=())]))
        return cst.If(test.deep_clone(), cst.IndentedBlock([whole]), other, leading_lines=made.leading_lines)

    edits: dict[cst.CSTNode, Edit] = {statement: edit}
    return DesugaredStatement("statements that an option asks for", edits, name, (name,), apart=True)


def _disjuncts(test: cst.BaseExpression) -> Iterator[str]:
    """The operands of `or`, as written, or the whole test."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or):
        yield from _disjuncts(test.left)
        yield from _disjuncts(test.right)
    else:
        yield code(test)


def of_loop(statement: cst.For | cst.While, body: Body) -> tuple[cst.BaseExpression, Container[int]] | None:
    """Which options ask for statements of a loop that jit cannot compile, and the numbers of the branches with these; None if there are none,
    or others that jit cannot compile."""
    if statement.orelse is not None:
        return None
    impure = [node for node in body.impure if body.source.inside(node, statement.body)]
    appended = [call for call in body.source.among(statement.body, cst.Call) if _appends(call, body)]
    if not impure and not appended:
        return None
    options, optional = dict[str, cst.BaseExpression](), set[int]()
    for number, branch in enumerate(_branches(statement)):
        inside = [node for node in (*impure, *appended) if body.source.inside(node, branch.body)]
        elif_ = isinstance(body.source.parents[branch], cst.If)
        option = _option(branch.test, statement, body) if inside and not elif_ else None
        if option is not None:
            options.setdefault(code(option), option)
            optional.add(number)
            impure = [node for node in impure if node not in inside]
    if not options or impure or len(options) > MOST_OPTIONS:
        return None
    return reduce(lambda left, right: cst.BooleanOperation(left, cst.Or(), right), options.values()), optional


def _appends(call: cst.Call, body: Body) -> bool:
    """Whether a statement adds to a list: if only some iterations do, compiled code makes no list of it."""
    match call:
        case cst.Call(func=cst.Attribute(value=cst.Name(), attr=cst.Name(value="append" | "extend"))):
            return isinstance(body.source.parents[call], cst.Expr)
    return False


def without(loop: cst.For | cst.While, optional: Container[int]) -> cst.For | cst.While:
    """A loop without the branches of these numbers: what they do if their test fails stays."""
    short = loop.visit(_Without(optional))
    assert isinstance(short, (cst.For, cst.While))
    return short


def left_out(loop: cst.For | cst.While, optional: Container[int]) -> set[cst.CSTNode]:
    """The nodes of a loop that `without` leaves out."""
    branches = (branch for number, branch in enumerate(_branches(loop)) if number in optional)
    return {node for branch in branches for part in (branch.test, branch.body) for node, _above in walk(part)}


def _branches(loop: cst.For | cst.While) -> Iterator[cst.If]:
    """The branches in a loop, in the order in which a visitor meets them."""
    found = _Branches()
    loop.body.visit(found)
    yield from found.branches


def _option(test: cst.BaseExpression, loop: cst.For | cst.While, body: Body) -> cst.BaseExpression | None:
    """The part of a test that asks for options, which the loop does not change; None if there is none."""
    operands = [test]
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        operands = chain(test)
    bound = bound_by(loop) | body.captured
    stored = {code(target.target) for target in body.source.among(loop, cst.AssignTarget)}
    found = [each for each in operands if _asks(each) and not builders.names(each) & bound and not attributes_in(each) & stored]
    return reduce(lambda left, right: cst.BooleanOperation(left, cst.And(), right), found) if found else None


def attributes_in(test: cst.BaseExpression) -> set[str]:
    """The attributes in a test, as written."""
    return {code(node) for node, _parent in walk(test) if isinstance(node, cst.Attribute)}


def _asks(test: cst.BaseExpression) -> bool:
    """`verbose`, `not quiet`, `callback is not None`, `mode == "debug"`, `verbose > 1`, and the same of attributes of objects."""
    match test:
        case cst.Comparison(
            left=cst.Name() | cst.Attribute(value=cst.Name()),
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=cst.Integer())],
        ):
            return isinstance(operator, (*OF_NUMBERS, cst.Equal, cst.NotEqual))
        case cst.Attribute(value=cst.Name()):
            return True
        case cst.UnaryOperation(operator=cst.Not(), expression=cst.Attribute(value=cst.Name())):
            return True
        case cst.Comparison(left=cst.Attribute(value=cst.Name()), comparisons=[cst.ComparisonTarget(operator, cst.Name("None"))]):
            return isinstance(operator, (cst.Is, cst.IsNot))
    return tests_flag(test)


class _Branches(cst.CSTVisitor):
    """Collects branches, except those of nested functions."""

    def __init__(self) -> None:
        self.branches: list[cst.If] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_If(self, node: cst.If) -> None:
        self.branches.append(node)


class _Without(cst.CSTTransformer):
    """Removes some branches, by their numbers: what they do if their test fails stays."""

    def __init__(self, optional: Container[int]) -> None:
        self.optional = optional
        self.met = -1
        self.numbers = list[int]()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_If(self, node: cst.If) -> None:
        self.met += 1
        self.numbers.append(self.met)

    def leave_If(
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        if self.numbers.pop() not in self.optional:
            return updated_node
        match updated_node.orelse:
            case cst.Else(body=kept):
                return cst.FlattenSentinel(builders.lines(kept))
            case cst.If() as kept:
                return kept
        return cst.RemovalSentinel.REMOVE

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.IndentedBlock:
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])
