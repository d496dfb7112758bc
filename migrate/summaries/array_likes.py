"""Parameters for which NumPy accepts lists: every use converts a list to an array, or takes its length.

`np.sum(x)` and `x * y` with an array `y` do; `x * 2` repeats a list, and `x**2` raises TypeError for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import libcst as cst

from ...rules import numpy_table, random_table
from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN, Value
from ...rules.syntax.argument_binding import bind
from ..analysis.inference.declared_types import annotation
from ..analysis.loops.floated_arguments import is_inexact
from ..analysis.state.interpreter_state import Run
from ..syntax.bindings import parameters
from ..syntax.reaching_definitions import definitions_of
from .unit_analysis import is_outlined
from .units import Module, Unit

CONVERTING = frozenset(
    f"numpy.{name}"
    for name in "array asarray asanyarray asarray_chkfinite ascontiguousarray copy atleast_1d atleast_2d ndim shape size".split()
)
TAKING_SEQUENCES = CONVERTING | {f"builtins.{name}" for name in ("len", "enumerate", "reversed", "zip")}
FLOATS = ("float", "complex")
SEQUENCES = ("ArrayLike", "Sequence", "list", "List", "tuple", "Tuple")


def array_likes(module: Module, unit: Unit, run: Run) -> frozenset[str]:
    """The parameters of a function or a method that may be lists. Whether the project functions to which it passes them accept
    lists, too, is for the linker to say."""
    if not isinstance(unit.node, cst.FunctionDef):
        return NOTHING
    open_ = open_parameters(unit)
    uses = [(node, node.value) for node in module.nodes[unit.name] if type(node) is cst.Name and node.value in open_]
    refuted = {name for node, name in uses if not accepts(module, unit, run, node)}
    return (open_ & {name for node, name in uses if is_read(module, node)}) - refuted


def shape_likes(module: Module, unit: Unit, run: Run) -> frozenset[str]:
    """The parameters of a function that are the shapes of arrays and nothing else: NumPy accepts lists and arrays."""
    if not isinstance(unit.node, cst.FunctionDef) or unit.cls:
        return NOTHING
    open_ = open_parameters(unit)
    uses = [(node, node.value) for node in module.nodes[unit.name] if type(node) is cst.Name and node.value in open_]
    refuted = {name for node, name in uses if is_read(module, node) and not _is_shape(module, run, node)}
    return frozenset(name for node, name in uses if is_read(module, node)) - refuted


def sequence_uses(module: Module, unit: Unit, run: Run) -> frozenset[str]:
    """The parameters of a function of which it takes the items, or of which NumPy makes arrays: they may be lists, whatever their
    defaults are."""
    uses = (
        node for node in module.nodes[unit.name] if type(node) is cst.Name and run.values.get(node, UNKNOWN).holds == node.value
    )
    return frozenset(node.value for node in uses if _is_sequence(module, run, node))


def _is_sequence(module: Module, run: Run, node: cst.Name) -> bool:
    match module.source.parents.get(node):
        case cst.Subscript(value=base) | cst.For(iter=base) | cst.CompFor(iter=base):
            return base is node
        case cst.Arg(star="") as argument:
            call = module.source.parents[argument]
            return isinstance(call, cst.Call) and call.args[0] is argument and run.scopes.qualname(call.func) in TAKING_SEQUENCES
    return False


def _is_shape(module: Module, run: Run, node: cst.Name) -> bool:
    """Whether a use passes the shape of an array to NumPy, or takes the length of it."""
    argument = module.source.parents.get(node)
    call = module.source.parents.get(argument) if isinstance(argument, cst.Arg) and not argument.star else None
    if run.values.get(node, UNKNOWN).holds != node.value or not isinstance(call, cst.Call) or not isinstance(argument, cst.Arg):
        return False
    name = run.scopes.qualname(call.func) or ""
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    if entry is None:
        return name == "builtins.len"
    return dict(bind(call, entry)).get(call.args.index(argument), "") in ("shape", "newshape") and bool(entry.static)


def open_parameters(unit: Unit) -> frozenset[str]:
    """The parameters of a function whose annotations, if any, admit lists, as far as known."""
    if not isinstance(unit.node, cst.FunctionDef):
        return NOTHING
    given = unit.node.params
    params = (*given.posonly_params, *given.params, *given.kwonly_params)
    said = {p.name.value: None if p.annotation is None else p.annotation.annotation for p in params}
    return frozenset(
        name for name, node in said.items() if annotation(node) is None or (node is not None and _names_sequence(node))
    )


def may_be_array(unit: Unit, value: Value) -> bool:
    """Whether a value is a parameter that every call passes, and that may well be an array, for all that is known."""
    if value.kind is not Kind.UNKNOWN or value.holds not in open_parameters(unit) or not isinstance(unit.node, cst.FunctionDef):
        return False
    return any(param.name.value == value.holds and param.default is None for param in parameters(unit.node.params))


def _names_sequence(node: cst.BaseExpression) -> bool:
    """Whether an annotation admits lists or tuples."""
    match node:
        case cst.Subscript(value=cst.Name(value="Optional"), slice=[cst.SubscriptElement(slice=cst.Index(value=inner))]):
            return _names_sequence(inner)
        case cst.Subscript(value=base):
            return _names_sequence(base)
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
            return _names_sequence(left) or _names_sequence(right)
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name in SEQUENCES
    return False


def is_read(module: Module, node: cst.Name) -> bool:
    """Whether a name is an expression that reads a variable."""
    parent = module.source.parents.get(node)
    if isinstance(parent, cst.Param):
        return parent.name is not node
    target: cst.CSTNode = node
    while isinstance(parent, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
        target, parent = parent, module.source.parents[parent]
    bound = isinstance(parent, (cst.AssignTarget, cst.AnnAssign, cst.For)) and parent.target is target
    return not bound and not module.source.is_label(node)


def parts(module: Module, unit: Unit, params: Collection[str]) -> Mapping[str, str]:
    """The local variables of a function that are parts of its parameters, as `t` is after `t = x[1:]`: bound once, each with its
    parameter."""
    found = dict[str, str]()
    for node in module.nodes[unit.name]:
        match node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=name))],
                value=cst.Subscript(value=cst.Name(value=whole), slice=[cst.SubscriptElement(slice=cst.Slice())]),
            ) if whole in params and name not in unit.params:
                found[name] = whole
    if not found:
        return found
    names = [n for n in module.nodes[unit.name] if type(n) is cst.Name and not isinstance(module.source.parents[n], cst.Param)]
    bound = Counter(n.value for n in names if not is_read(module, n))
    return {name: whole for name, whole in found.items() if bound[name] == 1 and not bound[whole]}


def accepts(module: Module, unit: Unit, run: Run, node: cst.Name) -> bool:
    """Whether a use of a parameter means the same for a list as for an array of its items."""
    if not is_read(module, node):
        return True
    value = run.values.get(node)
    if value is None:
        return False
    if value.device:  # it was bound to an array before
        return True
    return converted(module, unit, run, node)


def converted(module: Module, unit: Unit, run: Run, node: cst.BaseExpression) -> bool:
    """Whether an expression means the same where it is used, be it a list or an array."""
    parent = module.source.parents.get(node)
    match parent:
        case cst.Arg(star=""):
            call = module.source.parents.get(parent)
            return isinstance(call, cst.Call) and (_converts(run, call, parent) or _draws_from(run, call, node))
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            other = right if left is node else left
            array = run.values.get(other, UNKNOWN)
            # the product with an integer of NumPy repeats a list
            repeats = isinstance(operator, cst.Multiply) and array.rank <= 0 and not _is_inexact(module, unit, run, other)
            # what a loop that moved into this function takes as an array is one of JAX there
            meets_array = array.device or (array.kind is Kind.ARRAY and is_outlined(module, unit))
            return meets_array and not repeats and not _is_stored(module, run, node)
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.Is() | cst.IsNot())]):
            return True
        case cst.Return() if isinstance(node, cst.Name):
            # the result of a loop, which is an array unless the loop does not run
            return run.values.get(node, UNKNOWN).holds != node.value
        case cst.Subscript(value=base, slice=[element]) if base is node:
            if _is_scalar_index(run, element):
                # an item of many that are alike; those of a literal index may each be something else
                if _is_stored(module, run, _item(module, run, parent)) or (
                    _varies(module, element) and converted(module, unit, run, parent)
                ):
                    return True
            return isinstance(node, cst.Name) and node.value in module.known.sequences.get(unit.name, NOTHING)
    return False


def _is_inexact(module: Module, unit: Unit, run: Run, node: cst.BaseExpression) -> bool:
    """Whether a value is certainly no integer: `x` is none in a loop with `x = x * w`, if it starts as a float."""
    if is_inexact(run, node):
        return True
    if not any(type(n) is cst.Name for n in module.source.below(node)):
        return False
    bound = dict[str, list[cst.BaseExpression]]()
    for assign in (n for n in module.nodes[unit.name] if type(n) is cst.Assign):
        for target in assign.targets:
            if isinstance(target.target, cst.Name):
                bound.setdefault(target.target.value, []).append(assign.value)
    names = (n for n in module.nodes[unit.name] if type(n) is cst.Name and n.value in bound)
    bindings = Counter(n.value for n in names if not is_read(module, n))
    given = {name for name, value in run.facts.params.get(run.name, {}).items() if value.dtype.startswith(FLOATS)}
    floats = {
        name
        for name, values in bound.items()
        if len(values) + (name in unit.params) == bindings[name]
        and (
            name not in unit.params
            or name in given
            or _is_replaced(module, unit, run, name, [node, *(v for each in bound.values() for v in each)])
        )
    }
    while others := {name for name in floats if not all(is_inexact(run, value, floats) for value in bound[name])}:
        floats -= others
    return is_inexact(run, node, floats)


def _is_replaced(module: Module, unit: Unit, run: Run, name: str, values: Sequence[cst.BaseExpression]) -> bool:
    """Whether `x = np.array(x, dtype=float)` or the like comes ahead of whatever else is computed of a parameter."""
    if not isinstance(unit.node, cst.FunctionDef):
        return False
    definitions = definitions_of(unit.node)
    others = (n for value in values if not is_inexact(run, value) for n in module.source.below(value))
    reads = [n for n in others if type(n) is cst.Name and n.value == name]
    return not any(unit.node in (definitions.of_use(n, name, module.source.parents) or (unit.node,)) for n in reads)


def _draws_from(run: Run, call: cst.Call, node: cst.BaseExpression) -> bool:
    """Whether a call draws items of a sequence: `rng.choice(x)`."""
    site = run.random.sites.get(call)
    if site is None or site.draw is None or site.draw.dtype != "same" or site.draw.writes:
        return False
    arguments, _why = random_table.bind(site.draw, call.args)
    return arguments.get(site.draw.vectors[0]) is node


def _is_scalar_index(run: Run, element: cst.SubscriptElement) -> bool:
    return isinstance(element.slice, cst.Index) and run.values.get(element.slice.value, UNKNOWN).kind is Kind.SCALAR


def _varies(module: Module, element: cst.SubscriptElement) -> bool:
    """Whether an index depends on a variable."""
    return bool(module.source.among(element, cst.Name))


def _item(module: Module, run: Run, node: cst.Subscript) -> cst.Subscript:
    """The item that indices select one after the other: `points[i][0]` for `points[i]`."""
    match module.source.parents.get(node):
        case cst.Subscript(value=base, slice=[element]) as outer if base is node and _is_scalar_index(run, element):
            return _item(module, run, outer)
    return node


def _is_stored(module: Module, run: Run, node: cst.CSTNode, bound: frozenset[str] = NOTHING) -> bool:
    """Whether a value becomes one element of an array, or is added to a number, by arithmetic alone, also by way of variables: then it
    is a number, no list. `bound`: the variables on the way."""
    at = module.source.parents.get(node)
    while isinstance(at, (cst.BinaryOperation, cst.UnaryOperation)):
        at = module.source.parents.get(at)
    match at:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) if name not in bound:
            owner = run.unit.owner
            names = () if owner is None else module.source.among(owner, cst.Name)
            reads = [n for n in names if n.value == name and is_read(module, n)]
            further = [n for n in reads if not _binds(module, n, bound | {name})]
            return bool(further) and all(_is_stored(module, run, n, bound | {name}) for n in further)
        case cst.AugAssign(target=cst.Name() as total, operator=cst.AddAssign() | cst.SubtractAssign()):
            return run.values.get(total, UNKNOWN).numeric
        case (
            cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=array, slice=indices))])
            | cst.AugAssign(target=cst.Subscript(value=array, slice=indices))
        ):
            return run.values.get(array, UNKNOWN).rank == len(indices) and all(_is_scalar_index(run, i) for i in indices)
    return False


def _binds(module: Module, node: cst.CSTNode, names: frozenset[str]) -> bool:
    """Whether a value becomes one of these variables, by arithmetic alone."""
    at = module.source.parents.get(node)
    while isinstance(at, (cst.BinaryOperation, cst.UnaryOperation)):
        at = module.source.parents.get(at)
    match at:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return name in names
    return False


def _converts(run: Run, call: cst.Call, argument: cst.Arg) -> bool:
    """Whether a call converts a list that it gets to an array, or takes its length, or calls a function of the project."""
    name = run.scopes.qualname(call.func) or ""
    position = call.args.index(argument)
    if name == "builtins.len" or (name in CONVERTING and position == 0) or run.facts.canonical(name) in run.facts.functions:
        return True
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    if entry is None:
        return False
    parameter = dict(bind(call, entry)).get(position, "")
    return parameter in entry.arrays or (entry.ufunc > position and argument.keyword is None)
