"""A list comprehension from which an array is created, `np.array([f(x[i]) for i in range(n)])`, becomes a loop that appends to a
list. So does one that a function of the project gets, which makes an array of it: `total([f(x[i]) for i in range(n)])`.

How that list becomes an array is decided as for any other list.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ....rules import numpy_table
from ....rules.syntax import builders
from ....rules.syntax.source_text import code
from ....rules.syntax.tree import walk
from .form import Body, DesugaredStatement, with_comments

MAKERS = ("numpy.array", "numpy.asarray")
PART_OF_A_WHOLE = (  # what may be evaluated later, repeatedly or never
    cst.Lambda,
    cst.IfExp,
    cst.BooleanOperation,
    cst.Comparison,
    cst.NamedExpr,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.GeneratorExp,
)


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    small = statement.body[0]
    if not isinstance(small, (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Return, cst.Expr)):
        return None
    for comprehension in body.source.among(statement, cst.ListComp):
        if (made := _filled(statement, small, comprehension, body)) is not None:
            return made
    return None


def _filled(
    statement: cst.SimpleStatementLine, small: cst.BaseSmallStatement, node: cst.ListComp, body: Body
) -> DesugaredStatement | None:
    passed = _is_passed(node, body)
    numpy = _numpy(body) if passed else _becomes_array(node, body)
    own = _own_name(small, node)
    key = code(statement)
    if (numpy is None and not own) or key in body.kept or not _comes_first(statement, node, body):
        return None
    renamed = _renamed(statement, node, body)
    if renamed is None or (own and any(n.value == own for n in body.source.among(node, cst.Name))):
        return None
    item: cst.BaseExpression = builders.replaced(node.elt, renamed)
    if isinstance(node.elt, cst.ListComp):
        if numpy is None:
            return None
        item = builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("array")), item)
    items = own or body.fresh(*([f"{name}_items"] if (name := _target(small)) else ["items"]))
    append = cst.Attribute(cst.Name(items), cst.Name("append"))
    loop = _loop(node.for_in, renamed, cst.SimpleStatementLine([cst.Expr(builders.call(append, item))]))
    listed = builders.assigned((items,), cst.List([]))

    def edit(made: cst.SimpleStatementLine) -> cst.FlattenSentinel[cst.BaseStatement]:
        lines: list[cst.BaseStatement] = [listed, loop]
        return with_comments(lines if own else [*lines, made.with_changes(leading_lines=())], made)

    made = (
        cst.Name(items)
        if numpy is None or not passed
        else builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("array")), cst.Name(items))
    )
    edits = {statement: edit, node: lambda _made: made}
    return DesugaredStatement("the list comprehension", edits, exits=key, flags=(items,))


def _becomes_array(node: cst.ListComp, body: Body) -> cst.BaseExpression | None:
    """NumPy's module as the source writes it, if one of its functions creates an array from the list; otherwise None."""
    argument = body.source.parents[node]
    call = body.source.parents[argument] if isinstance(argument, cst.Arg) and not argument.star else None
    if not isinstance(call, cst.Call) or call.args[0] is not argument or argument.keyword is not None:
        return None
    called = body.calls(call)
    entry = numpy_table.function(called) if called.startswith("numpy.") else None
    if entry is None or not isinstance(call.func, cst.Attribute) or not entry.params:
        return None
    taken = called in MAKERS or called == "numpy.stack" or entry.params[0] in entry.arrays
    return call.func.value if taken else None


def _is_passed(node: cst.ListComp, body: Body) -> bool:
    """Whether a function of the project gets the list, and makes an array of it."""
    argument = body.source.parents[node]
    call = body.source.parents[argument] if isinstance(argument, cst.Arg) else None
    return isinstance(argument, cst.Arg) and isinstance(call, cst.Call) and body.converts(call, argument)


def _numpy(body: Body) -> cst.BaseExpression | None:
    """NumPy's module under the name that the file gives it."""
    name = body.scopes.name_of("numpy")
    return cst.Name(name) if name and name not in body.scopes.opened_by(body.owner).names else None


def _own_name(small: cst.BaseSmallStatement, node: cst.ListComp) -> str:
    """The variable of `name = [... for ...]`."""
    match small:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if value is node:
            return name
    return ""


def _target(small: cst.BaseSmallStatement) -> str:
    match small:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return name
    return ""


def _comes_first(statement: cst.SimpleStatementLine, node: cst.ListComp, body: Body) -> bool:
    """Whether the statement evaluates the comprehension exactly once, and before anything that could affect it."""
    enclosing = set[cst.CSTNode]()
    above = body.source.parents[node]
    while above is not None and above is not statement:
        if isinstance(above, PART_OF_A_WHOLE):
            return False
        enclosing.add(above)
        above = body.source.parents[above]
    for other, _parent in walk(statement):
        if other is node:
            return True
        if isinstance(other, cst.Call) and other not in enclosing:
            called = body.calls(other)
            if not called.startswith("numpy.") or called.startswith("numpy.random."):
                return False
        if isinstance(other, (cst.NamedExpr, cst.Await, cst.Yield)):
            return False
    return False


def _renamed(statement: cst.SimpleStatementLine, node: cst.ListComp, body: Body) -> Mapping[str, cst.BaseExpression] | None:
    """New names for the local variables of the comprehension where the function would see them; None if it cannot become a
    loop."""
    targets: set[str] = set()
    clause: cst.CompFor | None = node.for_in
    while clause is not None:
        if clause.ifs or clause.asynchronous is not None:
            return None
        bound = [n for n, _parent in walk(clause.target)]
        if not all(
            isinstance(n, (cst.Name, cst.Tuple, cst.Element)) for n in bound if isinstance(n, (cst.BaseExpression, cst.Element))
        ):
            return None
        targets |= {n.value for n in bound if isinstance(n, cst.Name)}
        clause = clause.inner_for_in
    inside = {n for n, _parent in walk(node)}
    if any(isinstance(n, (cst.NamedExpr, cst.Await, cst.Yield)) for n in inside):
        return None
    outside = {n.value for n in body.source.among(statement, cst.Name) if n not in inside}
    outside |= {n.value for n, _parent in walk(node.for_in.iter) if isinstance(n, cst.Name)}
    outside |= {*body.captured, *body.live.after[statement]}
    return {name: cst.Name(body.fresh(f"{name}_item")) for name in sorted(targets & outside)}


def _loop(clause: cst.CompFor, renamed: Mapping[str, cst.BaseExpression], line: cst.SimpleStatementLine) -> cst.For:
    inner = line if clause.inner_for_in is None else _loop(clause.inner_for_in, renamed, line)
    target = builders.bare(builders.replaced(clause.target, renamed))
    assert isinstance(target, cst.BaseAssignTargetExpression)
    return cst.For(target, builders.bare(builders.replaced(clause.iter, renamed)), cst.IndentedBlock([inner]))
