"""The uses of one generator: draws, arguments, bindings to variables and lists."""

from __future__ import annotations

import libcst as cst

from ...rules.facts.values import UNKNOWN
from ..analysis.random.generators import in_collection, is_child, is_generator, sounds_like_generator
from ..analysis.random.key_plan import COMPREHENSIONS, bound_names, clauses_of
from ..analysis.state.access_paths import path_of
from ..analysis.state.call_facts import CallFact
from ..analysis.state.interpreter_state import Run


def passed_once(run: Run, nodes: list[cst.CSTNode]) -> frozenset[tuple[str, str, str]]:
    """Parameters with the name of a generator that are mentioned only once, as an argument of a call outside of all loops."""
    called_so = {p for p in run.params if sounds_like_generator(p) and not is_generator(run.unit.bound.get(p, UNKNOWN))}
    if not called_so:
        return frozenset()
    parents = run.source.parents
    seen: dict[str, list[cst.Name]] = {p: [] for p in called_so}
    for node in nodes:
        if type(node) is cst.Name and node.value in seen:
            parent = parents.get(node)
            named = (isinstance(parent, cst.Arg) and parent.keyword is node) or (
                isinstance(parent, cst.Attribute) and parent.attr is node
            )
            if not named and not isinstance(parent, cst.Param):
                seen[node.value].append(node)
    found = set()
    for name, uses in seen.items():
        if len(uses) == 1 and (call := call_once(run, uses[0])) is not None:
            found |= {(name, call.callee, p) for p, v in call.args if v.holds == name}
    return frozenset(found)


def call_once(run: Run, use: cst.Name) -> CallFact | None:
    """The call of a project function with this name as an argument; None if there is none, or it is in a loop."""
    argument = run.source.parents.get(use)
    call = at = run.source.parents.get(argument) if isinstance(argument, cst.Arg) else None
    while at is not None and at is not run.unit.owner:
        if isinstance(at, (cst.For, cst.While, *COMPREHENSIONS, cst.Lambda, cst.FunctionDef)):
            return None
        at = run.source.parents.get(at)
    return None if call is None else run.call_graph.calls.get(call)


def held_by(run: Run, call: cst.CSTNode) -> str:
    """The variable, or the attribute of the object itself, that a new list of generators is bound to; "" if there is none."""
    match run.source.parents.get(call):
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) | cst.AnnAssign(target=target):
            place = path_of(target) or ""
            own = place.partition(".")[2] in run.attributes.attrs and place.partition(".")[0] == run.unit.self_name
            return place if own or "." not in place else ""
    return ""


def bound_to(run: Run, call: cst.CSTNode) -> list[str]:
    """The variable that the result of a call is bound to."""
    match run.source.parents.get(call):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) | cst.AnnAssign(target=cst.Name(value=name)):
            return [name]
    return []


def handing(run: Run, use: cst.CSTNode, path: str) -> str | None:
    """What a generator is passed on for, as the stem of the key's name; None if it is not passed on; "" if that is unknown."""
    parents = run.source.parents
    parent = parents.get(use)
    match parent:
        case cst.Attribute():
            call = parents.get(parent)
            return None if isinstance(call, cst.Call) and call.func is parent and call in run.random.sites else ""
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.Is() | cst.IsNot())]):
            return None
        case cst.ComparisonTarget(operator=cst.Is() | cst.IsNot()):
            return None
        case cst.Return():
            return "returned"
        case cst.ListComp() | cst.DictComp() if use is (parent.elt if isinstance(parent, cst.ListComp) else parent.value):
            own = {n for c in clauses_of(parent.for_in) for n in bound_names(c.target)}
            return "rng" if path in own else ""  # the loop variable becomes an element of the list
        case cst.Arg():
            call = parents.get(parent)
            if isinstance(call, cst.Call) and run.scopes.qualname(call.func) == "builtins.isinstance":
                return None
            if isinstance(call, cst.Call) and call in run.random.makers:
                enclosing = parents.get(outer) if isinstance(outer := parents.get(call), cst.Arg) and not outer.star else None
                if isinstance(outer, cst.Attribute) and (drawn := run.random.sites.get(parents.get(outer) or outer)) is not None:
                    return drawn.keys[0] if drawn.keys else ""
                if listed(run, call) is not None:
                    return "rng"
                return (
                    called(run.call_graph.calls[enclosing].callee)
                    if enclosing in run.call_graph.calls
                    else assigned(run, call, path)
                )
            if isinstance(call, cst.Call) and call in run.call_graph.calls and not parent.star:
                return called(run.call_graph.calls[call].callee)
            return ""
    return assigned(run, use, path)


def made_for(run: Run, call: cst.CSTNode) -> str | None:
    """What a generator created here is used for, in the terms of `handing`; "" if that is unknown."""
    parents = run.source.parents
    parent = parents.get(call)
    match parent:
        case cst.Expr():
            return None
        case cst.Attribute():
            return None if parents.get(parent) in run.random.sites else ""
        case cst.Arg():
            enclosing = parents.get(parent)
            return "" if parent.star or not (enclosing in run.call_graph.calls or enclosing in run.random.makers) else None
        case cst.Element():
            display, whole = parents.get(parent), parents.get(parents.get(parent) or call)
            unpacked = (
                isinstance(whole, cst.Assign) and len(whole.targets) == 1 and isinstance(whole.targets[0].target, cst.Tuple)
            )
            return None if unpacked and isinstance(display, cst.Tuple) else ""
        case cst.Return() if parent not in run.flow.returns:
            return ""  # of a nested function
    whole_value: cst.CSTNode = call
    while isinstance(parent, cst.BooleanOperation) or (isinstance(parent, cst.IfExp) and whole_value is not parent.test):
        whole_value, parent = parent, parents.get(parent)
    return assigned(run, call, "") if is_generator(run.values.get(whole_value, UNKNOWN)) else ""


def listed(run: Run, call: cst.CSTNode) -> cst.CSTNode | None:
    """The list or dict that a new generator is an element of: `[default_rng(s) for s in seeds]`, `[default_rng(1),
    default_rng(2)]`."""
    enclosing = run.source.parents.get(call)
    if isinstance(enclosing, cst.Element):
        enclosing = run.source.parents.get(enclosing)
    if isinstance(enclosing, cst.List):
        kinds = {v.name if is_generator(v := run.values.get(e.value, UNKNOWN)) else "" for e in enclosing.elements}
        return enclosing if len(kinds) == 1 and "" not in kinds else None
    if isinstance(enclosing, cst.DictElement) and enclosing.value is call:
        display = run.source.parents.get(enclosing)
        return display if display is not None and in_collection(run.values.get(display, UNKNOWN)) is not None else None
    made = isinstance(enclosing, cst.ListComp) and enclosing.elt is call
    return enclosing if made or (isinstance(enclosing, cst.DictComp) and enclosing.value is call) else None


def seeded_identically(run: Run) -> list[cst.CSTNode]:
    """Generators that share a SeedSequence: in NumPy they are identical, but keys split from one key are not."""
    sequences = {
        name
        for call in run.random.makers
        if isinstance(call, cst.Call) and run.scopes.qualname(call.func) == "numpy.random.SeedSequence"
        for name in bound_to(run, call)
    }
    seeds = [
        (made, seed.value) for made, seed in run.random.makers.items() if isinstance(seed, cst.Name) and seed.value in sequences
    ]
    names = [name for _made, name in seeds]
    return [made for made, name in seeds if names.count(name) > 1 or in_loop(run, made)]


def consumed_once(run: Run, call: cst.CSTNode, nodes: list[cst.CSTNode]) -> bool:
    """Whether generators created together are unpacked, or iterated over once, directly or through a variable used only there."""
    parent = run.source.parents.get(call)
    if parent is not None and is_child(run, parent):
        return True
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))]):
            return all(isinstance(e, cst.Element) and path_of(e.value) is not None for e in elements)
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) if run.unit.in_function:
            uses = [n for n in nodes if type(n) is cst.Name and n.value == name and n is not parent.targets[0].target]
            return len(uses) == 1 and gone_through(run, uses[0]) and not in_loop(run, uses[0])
    return gone_through(run, call)


def gone_through(run: Run, node: cst.CSTNode) -> bool:
    """Whether a loop or a comprehension iterates over an expression, perhaps together with others through `zip`."""
    at: cst.CSTNode | None = node
    while isinstance(at, (cst.BaseExpression, cst.Arg)):
        at = run.source.parents.get(at)
    return isinstance(at, (cst.For, cst.CompFor)) and any(leaf.iterable is node for leaf in run.scopes.iteration_space(at).leaves)


def in_loop(run: Run, node: cst.CSTNode) -> bool:
    """Whether an expression is evaluated more than once."""
    below, at = node, run.source.parents.get(node)
    while at is not None and at is not run.unit.owner:
        if isinstance(at, (cst.For, cst.CompFor)):
            if below is not at.iter:
                return True
        elif isinstance(at, (cst.While, cst.Lambda, cst.FunctionDef)) or (
            isinstance(at, COMPREHENSIONS) and below is not at.for_in
        ):
            return True
        below, at = at, run.source.parents.get(at)
    return False


def called(function: str) -> str:
    """The stem of the name of the key for a call: the function, or the class that it constructs."""
    owner, _dot, short = function.rpartition(".")
    return owner.rpartition(".")[2].lower() if short == "__init__" else short.strip("_")


def assigned(run: Run, node: cst.CSTNode, path: str) -> str | None:
    """The last part of the access path that an expression is bound to; None if that is `path` itself; "" if it is not bound."""
    parents = run.source.parents
    parent = parents.get(node)
    while isinstance(parent, cst.BooleanOperation) or (isinstance(parent, cst.IfExp) and node is not parent.test):
        node, parent = parent, parents.get(parent)
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) | cst.AnnAssign(target=target):
            place = path_of(target)
            if place == path:
                return None
            return (place or "").rpartition(".")[2].strip("_")
        case cst.AssignTarget() | cst.Param():
            return None
        case cst.AnnAssign():
            return None
        case cst.Return():
            return "returned"
    return ""


def enclosing(run: Run, node: cst.CSTNode) -> cst.CSTNode:
    at = run.source.parents.get(node)
    while at is not None and not isinstance(at, (cst.BaseExpression, cst.BaseSmallStatement)):
        at = run.source.parents.get(at)
    return node if at is None else at
