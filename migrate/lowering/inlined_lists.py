"""Lists that a loop with spelled-out methods fills: it fills lists of its own, of which arrays are made right after it.

Such lists can move with the loop into a function of its own: see accumulated_lists.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ...rules.syntax import builders
from ...rules.syntax.source_text import code
from ...rules.syntax.tree import assigned_values
from ..analysis.loops.list_accumulation import appended_item
from ..summaries.units import Module, Unit
from ..syntax.break_statements import breaks
from ..syntax.names import collect, fresh
from ..syntax.source import walk
from . import accumulated_lists, bounded_lists
from .forms.form import Body
from .forms.list_items import Unwrapped, names_complex, unwrapped

Loop = cst.For | cst.While


def filled(
    module: Module,
    facts: Body,
    unit: Unit,
    loop: Loop,
    left_out: Container[cst.CSTNode],
    body: cst.BaseStatement,
    started: bool,
    new: Callable[[str], str],
) -> list[cst.BaseStatement]:
    """A loop as it is written now, `body`, with the statements around it. `facts`: about the method that has the original `loop`; `left_out`:
    the nodes of that which are not in `body`, as only options ask for them; `started`: the first items are in the lists already; `new`: makes names that are not taken."""
    source, run = module.source, module.runs[unit.name]
    known = run.loops.compiled.get(loop)
    lists = accumulated_lists.made_arrays(known) if known is not None and not started else ()
    made = accumulated_lists.conversions(source, lists)
    kept = [
        one
        for one in accumulated_lists.appended(
            loop, run.values, _started_as_arrays(module, unit, loop) | _computed(module, body), left_out
        )
        if code(one.owner) not in made and len(accumulated_lists.mentions(one.owner, body)) == 1
    ]
    numpy = module.scopes.name_of("numpy")
    if numpy and isinstance(loop, cst.For) and isinstance(body, cst.For) and any(breaks(body.body)) and not names_complex(source):
        until = bounded_lists.bounded(body, module.scopes.iteration_space(loop), numpy, new)
        return [body] if until is None else [*until.before, until.loop, *until.after]
    taken = {n.value for n in source.among(source.module, cst.Name)}
    own = {one.name: fresh(f"{one.name}_items", taken) for one in lists}
    own |= {code(one.owner): fresh(f"{one.name.strip('_')}_items", taken) for one in kept if numpy}
    if not own:
        return [body]
    plain = {own[code(one.owner)]: _plain(one.owner, loop, facts) for one in kept if one.python and code(one.owner) in own}
    renamed = body.visit(_Renamed(own, plain))
    assert isinstance(renamed, cst.BaseStatement)
    before = [builders.assigned((name,), cst.List([])) for name in own.values()]
    after = [builders.assigned((name,), builders.call(builders.dotted(call), cst.Name(own[name]))) for name, call in made.items()]
    for one in kept if numpy else ():
        array: cst.BaseExpression = builders.call(builders.dotted(f"{numpy}.asarray"), cst.Name(own[code(one.owner)]))
        items = builders.method(array, "tolist") if one.python else array
        after.append(cst.SimpleStatementLine([cst.Expr(builders.method(one.owner.deep_clone(), "extend", items))]))
    return [*before, renamed, *after]


def _plain(owner: cst.Name | cst.Attribute, loop: Loop, facts: Body) -> Unwrapped | None:
    """How the items of a list are written without `float`, `int` and the like: `tolist` makes them numbers of Python after the loop."""
    for line in loop.body.body:
        held, item = appended_item(line) or (None, None)
        if held is not None and item is not None and code(held) == code(owner) and isinstance(loop, cst.For):
            return unwrapped(item, loop, facts)
    return None


def _started_as_arrays(module: Module, unit: Unit, loop: Loop) -> set[str]:
    """The variables that are arrays before a loop. Compiled code carries them, so that they are arrays in each iteration."""
    source, values = module.source, module.runs[unit.name].values
    inside = {node for node, _parent in walk(loop)}
    kinds = dict[str, set[Kind]]()
    for node in (each for each in source.among(unit.node, cst.Assign) if each not in inside):
        written = {name: value for each in node.targets for name, value in assigned_values(each.target, node.value)}
        for name in collect([node]).bound:
            known = values.get(written[name], UNKNOWN) if name in written else UNKNOWN
            kinds.setdefault(name, set()).add(known.kind)
    return {name for name, found in kinds.items() if found == {Kind.ARRAY}}


def _computed(module: Module, body: cst.BaseStatement) -> set[str]:
    """The attributes that each iteration binds to what NumPy computes: an array, or a number of NumPy."""
    found = set[str]()
    lines = body.body.body if isinstance(body, cst.For) else ()
    for line in lines:
        match line:
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute() as target)], value=value)]
            ):
                if _is_numpys(value, module.scopes.name_of("numpy")):
                    found.add(code(target))
    return found


def _is_numpys(node: cst.BaseExpression, numpy: str) -> bool:
    """Whether an operator of matrices or a function of NumPy is an operand of an expression."""
    match node:
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            return isinstance(operator, cst.MatrixMultiply) or _is_numpys(left, numpy) or _is_numpys(right, numpy)
        case cst.UnaryOperation(expression=inner):
            return _is_numpys(inner, numpy)
        case cst.Call(func=cst.Attribute(value=cst.Name(value=name))):
            return bool(numpy) and name == numpy
    return False


class _Renamed(cst.CSTTransformer):
    """Gives the lists to which a loop appends other names: those to which `names` maps the variables or attributes that hold them.
    `plain`: how the items of these lists are written."""

    def __init__(self, names: Mapping[str, str], plain: Mapping[str, Unwrapped | None]) -> None:
        super().__init__()
        self.names, self.plain = names, plain

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        match updated_node:
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="append")), args=[item]):
                if (write := self.plain.get(name)) is not None:
                    return updated_node.with_changes(args=[item.with_changes(value=write(item.value))])
        return updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        match original_node:
            case cst.Attribute(value=owner, attr=cst.Name(value="append")) if code(owner) in self.names:
                return updated_node.with_changes(value=cst.Name(self.names[code(owner)]))
        return updated_node
