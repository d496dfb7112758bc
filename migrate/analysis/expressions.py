"""The value of each expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from ...rules import numpy_table
from ...rules.dtypes import is_weak, of_python, strong
from ...rules.facts import DRAWN, NOTHING, UNKNOWN, Value, View, replace
from ...rules.model import Kind
from ...rules.numpy_table.entry import Verdict
from ..source import children, walk
from . import branches, calls, generators, maps, protocol, usage
from .domain import NUMERIC, Env, category, inexact, join, join_all, promote, scalar
from .indices import steady
from .state import IMMUTABLE, MASKED, MAYBE_NONE, SHARED, Need, Run, bind, immutable, new_memory, path_of
from .structures import structured

BASIC, ADVANCED, UNSURE = "basic", "advanced", "unsure"
STATIC_INT = Value(Kind.SCALAR, "int", 0)
SHORT_SHIFT = 32
TEXT = "it is put into a string"
BITWISE = (cst.BitAnd, cst.BitOr, cst.BitXor, cst.BitAndAssign, cst.BitOrAssign, cst.BitXorAssign)


def evaluate(run: Run, env: Env, node: cst.CSTNode) -> Value:
    """The value of an expression; every part of it is evaluated and remembered, in Python's order."""
    handler = _HANDLERS.get(type(node))
    value = UNKNOWN if handler is None else handler(run, env, node)
    if handler is None:
        for child in children(node):
            if isinstance(child, cst.BaseExpression):
                evaluate(run, env, child)
    run.values[node] = value
    return value


def need(run: Run, node: cst.CSTNode, value: Value, why: str) -> None:
    """Python itself needs this value: remember it unless it is known when tracing anyway."""
    if why != TEXT:  # a number of JAX is written as Python's is
        run.python_results |= value.origin
    if why != TEXT and value.kind is Kind.UNKNOWN and not value.origin:
        run.python_results |= NOTHING.union(*(run.values.get(part, UNKNOWN).origin for part, _parent in walk(node)))
    if value.traced or value.deps:
        run.needs[node] = Need(node, value, why)


def truth(run: Run, env: Env, node: cst.BaseExpression) -> Value:
    """Evaluate a condition, whose truth Python needs."""
    value = evaluate(run, env, node)
    need(run, node, value, "its truth decides what Python does")
    return value


def _name(run: Run, env: Env, node: cst.Name) -> Value:
    found = env.get(node.value)
    if found is not None:
        if MAYBE_NONE + node.value in env:
            run.optional.add(node)
        alone = found.rank < 0 and found.kind in (Kind.ARRAY, Kind.UNKNOWN) and branches.single(node) in run.evidence
        return replace(found, rank=0, number=True) if alone else found
    return _outside(run, node)


def _outside(run: Run, node: cst.Name | cst.Attribute) -> Value:
    """A name from outside of the unit: an import, a definition, a builtin, a variable of a module."""
    dotted = run.scopes.qualname(node)
    if dotted is not None:
        return generators.own_state(run, node) if generators.is_own_state(run, node, dotted) else named(run, dotted)
    starred = bool(run.scopes.star_imports) and isinstance(node, cst.Name) and node.value not in run.local
    if starred and f"{run.source.name}.{node.value}" in run.facts.aliases:
        return named(run, f"{run.source.name}.{node.value}")  # by a star import
    if isinstance(node, cst.Name) and run.scopes.is_module_level(node):
        known = f"{run.source.name}.{node.value}"
        if known in run.facts.functions:  # one of the things that the name may stand for
            run.escapes |= run.facts.several.get(known, frozenset({known}))
            return replace(UNKNOWN, memory=frozenset({"?"}))
        if node.value not in run.local:
            run.reads_globals.add(known)
            return variable(run, known)
    return UNKNOWN if isinstance(node, cst.Attribute) else replace(UNKNOWN, memory=frozenset({"?"}))


def variable(run: Run, dotted: str) -> Value:
    known = run.variable(dotted)
    if known is None:
        return replace(UNKNOWN, memory=frozenset({"?"}))
    memory = (
        frozenset({f"global:{dotted}"}) if known.kind in (Kind.ARRAY, Kind.UNKNOWN, Kind.LIST, Kind.DICT, Kind.TUPLE) else NOTHING
    )
    origin = frozenset({f"global:{dotted}"}) if known.kind in (Kind.ARRAY, Kind.UNKNOWN) else NOTHING
    return replace(known, memory=memory, holds="", view=None, elements=None, traced=False, deps=NOTHING, origin=origin)


def named(run: Run, dotted: str) -> Value:
    """The value that a dotted name stands for."""
    if dotted.startswith("numpy"):
        run.numpy_used = True
        if dotted in ("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib", "numpy.ma"):
            return Value(Kind.MODULE, name=dotted)
        entry = numpy_table.function(dotted)
        if entry is None:
            return Value(Kind.FUNCTION if numpy_table.function(dotted.rpartition(".")[0]) else Kind.UNKNOWN, name=dotted)
        if entry.kind == "dtype" and entry.params in ((), ("value",)):  # a type; np.dtype and np.result_type are functions
            return Value(Kind.DTYPE, dotted.rpartition(".")[2], name=dotted)
        if dotted in (
            "numpy.pi",
            "numpy.e",
            "numpy.inf",
            "numpy.nan",
            "numpy.euler_gamma",
            "numpy.NaN",
            "numpy.Inf",
            "numpy.infty",
            "numpy.NINF",
            "numpy.PINF",
        ):
            return Value(Kind.SCALAR, "float", 0, name=dotted)
        if dotted == "numpy.newaxis":
            return Value(Kind.NONE, name=dotted)
        return Value(Kind.FUNCTION, name=dotted)
    if dotted.startswith("builtins."):
        return Value(Kind.FUNCTION, name=dotted)
    canonical = run.facts.canonical(dotted)
    if canonical in run.facts.several:
        run.escapes |= run.facts.several[canonical]
        return replace(UNKNOWN, memory=frozenset({"?"}))
    if canonical in run.facts.functions:
        return Value(Kind.FUNCTION, name=canonical)
    if canonical in run.facts.classes:
        return Value(Kind.CLASS, name=canonical)
    if canonical in run.facts.modules:
        return Value(Kind.MODULE, name=canonical)
    if run.variable(canonical) is not None:
        run.reads_globals.add(canonical)
        return variable(run, canonical)
    owner, _dot, attr = canonical.rpartition(".")
    if owner in run.facts.classes:
        return class_attribute(run, owner, attr)
    if dotted.startswith("math.") and dotted[5:] in ("pi", "e", "tau", "inf", "nan"):
        return Value(Kind.SCALAR, "float", 0)
    return Value(Kind.UNKNOWN, name=dotted)


def class_attribute(run: Run, cls: str, attr: str) -> Value:
    """A method of a class, or a variable of its body, which all of its instances have."""
    if found := run.facts.method(cls, attr):
        return Value(Kind.FUNCTION, name=found)
    run.reads_globals.add(f"{cls}.{attr}")
    known = run.attribute(cls, attr) or UNKNOWN
    if known.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.FUNCTION):
        return replace(known, memory=NOTHING, holds="", view=None, deps=NOTHING, traced=False)
    own = f"{run.facts.root(cls)}.{attr}"
    run.reads_attrs.add(f"attr:{own}")
    memory = frozenset({f"attr:{own}", f"{SHARED}{own}"})
    origin = frozenset({f"attr:{own}"})
    return replace(
        known, memory=memory, holds="", view=None, elements=None, device=False, traced=False, deps=NOTHING, origin=origin
    )


def _attribute(run: Run, env: Env, node: cst.Attribute) -> Value:
    key = path_of(node)
    if key is not None and key in env:
        evaluate(run, env, node.value)
        return env[key]
    root: cst.BaseExpression = node
    while type(root) is cst.Attribute:
        root = root.value
    if type(root) is cst.Name and root.value not in env:
        dotted = run.scopes.qualname(node)
        if dotted is not None:
            evaluate(run, env, node.value)
            return generators.own_state(run, node) if generators.is_own_state(run, node, dotted) else named(run, dotted)
    base = evaluate(run, env, node.value)
    attr = node.attr.value
    if base.origin and (known := numpy_table.method(attr)) is not None and known.verdict is not Verdict.SAME:
        run.host_uses |= base.origin
    if base.kind is Kind.MODULE and base.name:
        return named(run, f"{base.name}.{attr}")
    if base.kind is Kind.CLASS and attr not in ("__name__",):
        run.impure[node] = f"`.{attr}` of a class may change"
    if base.kind is Kind.CLASS and (found := run.facts.method(base.name, attr)):
        return Value(Kind.FUNCTION, name=found)
    if base.kind is Kind.OBJECT and base.name in run.facts.classes:
        return _object_attribute(run, env, node, base, attr, key)
    if base.kind is Kind.ARRAY or (base.kind is Kind.UNKNOWN and attr in ("shape", "ndim", "dtype", "size", "T")):
        return array_attribute(run, env, node, base, attr)
    if base.kind is Kind.SCALAR:
        if attr in ("real", "imag"):
            return replace(base, dtype="float64" if base.dtype.startswith("complex1") else "")
        return Value(Kind.DTYPE, base.dtype) if attr == "dtype" else replace(UNKNOWN, deps=base.deps)
    if base.kind is Kind.DTYPE or base.name.startswith("numpy."):
        return Value(Kind.SCALAR, "", 0)
    if base.kind in (Kind.UNKNOWN, Kind.OBJECT):
        run.reads_attrs.add(f"attr:?.{attr}")
    if base.deps and base.kind in (Kind.UNKNOWN, Kind.OBJECT):
        run.impure[node] = f"`.{attr}` asks for an attribute of an object"
    return Value(
        Kind.UNKNOWN, deps=base.deps, traced=base.traced, memory=base.memory, name=f"{base.name}.{attr}" if base.name else ""
    )


def _object_attribute(run: Run, env: Env, node: cst.Attribute, base: Value, attr: str, key: str | None) -> Value:
    """An attribute of an instance of a class of the project."""
    if found := run.facts.method(base.name, attr):
        if (fact := run.function(found)) is not None and fact.property:
            return protocol.method(run, env, node, attr, node.value, base) or UNKNOWN
        return Value(Kind.FUNCTION, name=found)
    known: Value | None = None
    cls: str | None = base.name
    seen: set[str] = set()
    while cls is not None and known is None and cls not in seen:
        seen.add(cls)
        known = run.attribute(cls, attr)
        above = run.facts.classes.get(cls)
        cls = above.bases[0] if above and above.bases else None
    if known is None:
        known = run.evidence.get(key or "", UNKNOWN)
    if base.deps and not run.self_name:
        run.impure[node] = f"`.{attr}` asks for an attribute of an object"
    own = f"{run.facts.root(base.name)}.{attr}"
    run.reads_attrs.add(f"attr:{own}")
    shared = (
        known is UNKNOWN
        or not known.memory
        or any(not m.startswith(("new:", "old:")) and m != f"attr:{own}" for m in known.memory)
    )
    memory = frozenset({f"attr:{own}"}) | ({f"{SHARED}{own}"} if shared else NOTHING)
    if known.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.FUNCTION):
        memory = NOTHING
    view = View(key) if key is not None and known.kind is Kind.ARRAY else None
    origin = frozenset({f"attr:{own}"}) if memory else NOTHING
    value = replace(
        known, memory=memory, holds="", view=view, elements=None, deps=base.deps, device=False, traced=False, origin=origin
    )
    if key is not None and key.count(".") == 1:
        env[key] = value
        run.viewed.add(key)
    return value


def array_attribute(run: Run, env: Env, node: cst.CSTNode, base: Value, attr: str) -> Value:
    """An attribute of an array."""
    if attr == "shape":
        elements = (STATIC_INT,) * base.rank if base.rank >= 0 else None
        return Value(Kind.TUPLE, "int", elements=elements, name="shape", shape=base.shape)
    if attr in ("ndim", "size", "itemsize", "nbytes"):
        return STATIC_INT
    if attr == "dtype":
        return Value(Kind.DTYPE, base.dtype, name="")
    entry = numpy_table.method(attr)
    if attr in ("T", "real", "imag", "flat", "mT"):
        kept = base.dtype if attr in ("T", "mT", "flat") or category(base.dtype) in (0, 1, 2) else ""
        rank = 1 if attr == "flat" else base.rank
        shape = base.shape if attr in ("real", "imag") or base.rank == 1 else ""
        place = with_place(base, path_of(node.value)) if isinstance(node, cst.Attribute) else base
        return replace(base, dtype=kept, rank=rank, holds="", view=viewed(place, node), elements=None, shape=shape)
    if entry is None:
        return Value(Kind.UNKNOWN, deps=base.deps, traced=base.traced, memory=base.memory)
    return Value(Kind.FUNCTION, deps=base.deps, traced=base.traced, memory=base.memory)


def viewed(base: Value, step: cst.CSTNode, names: frozenset[str] = NOTHING) -> View | None:
    """The view that one more step from `base` gives, where `base` is a known place or view."""
    if base.view is None or not isinstance(step, cst.BaseExpression):
        return None
    return View(base.view.base, (*base.view.steps, step), base.view.names | names)


def with_place(value: Value, key: str | None) -> Value:
    """The value read from a variable, as a view of that variable (unless it is a view of another)."""
    if value.view is None and key is not None and value.kind in (Kind.ARRAY, Kind.UNKNOWN):
        return replace(value, view=View(key))
    return value


def index_kind(run: Run, env: Env, parts: Any) -> tuple[str, int, int, frozenset[str], frozenset[str], bool]:
    """How a subscript indexes: basic, advanced or unsure; axes dropped and added; names read; deps; traced.

    Axes dropped is -1 when it is not known.
    """
    sure, dropped, added = BASIC, 0, 0
    names: set[str] = set()
    deps: frozenset[str] = NOTHING
    traced = False
    flat: list[Any] = []
    for part in parts:
        inner = part.slice.value if type(part.slice) is cst.Index else None
        if type(inner) is cst.Tuple:
            evaluate(run, env, inner)
            flat.extend(e.value for e in inner.elements)
        else:
            flat.append(part.slice)
    for part in flat:
        if type(part) is cst.Slice:
            varies = False
            for bound in (part.lower, part.upper, part.step):
                if bound is not None:
                    value = evaluate(run, env, bound)
                    varies |= value.traced or any(d.startswith("loop:") for d in value.deps)
                    need(run, bound, value, "it bounds a slice")
                    deps, traced = deps | value.deps, traced or value.traced
                    names |= read_names(bound)
            if varies and not run.depth:
                run.cut[part] = None  # it is decided on when all is known of the unit
            continue
        inner = part.value if type(part) is cst.Index else part
        known = run.values.get(inner) if type(part) is not cst.Index else None
        value = evaluate(run, env, inner) if known is None else known
        names |= read_names(inner)
        deps, traced = deps | value.deps, traced or value.traced
        if type(inner) is cst.Ellipsis:
            continue
        if value.kind is Kind.NONE:
            added += 1
        elif value.kind is Kind.SCALAR and category(value.dtype) != 0:
            dropped += 1
        elif value.kind in (Kind.ARRAY, Kind.LIST) or (value.kind is Kind.SCALAR and category(value.dtype) == 0):
            sure = ADVANCED
        elif value.name == "slice":
            continue
        else:
            sure = UNSURE if sure is BASIC else sure
    return sure, dropped, added, frozenset(names), deps, traced


def read_names(node: cst.CSTNode) -> set[str]:
    """Every name in an expression, those of attributes, too."""
    return {n.value for n, _parent in walk(node) if type(n) is cst.Name}


def whole(dependence: str) -> str:
    """The parameter that "p" or "p[]", a part of it, stands for."""
    return dependence.removesuffix("[]")


def part_of(container: Value, value: Value) -> Value:
    """A part of a parameter: the parameter is no number or flag then, and cannot be static for its sake."""
    if not value.deps or container.kind in (Kind.TUPLE, Kind.STRING, Kind.DICT) or container.name == "range":
        return value
    return replace(value, deps=frozenset(f"{whole(d)}[]" for d in value.deps))


def _subscript(run: Run, env: Env, node: cst.Subscript) -> Value:
    value = _item(run, env, node)
    if value.rank < 0 and value.kind in (Kind.ARRAY, Kind.UNKNOWN) and branches.single(node) in run.evidence:
        value = replace(value, rank=0, number=True)
    base = run.values.get(node.value, UNKNOWN)
    value = part_of(base, value) if base.deps else value
    if not base.origin:
        return value
    if any(isinstance(p.slice, cst.Index) and run.values.get(p.slice.value, UNKNOWN).kind is Kind.LIST for p in node.slice):
        run.host_uses |= base.origin
    return replace(value, origin=base.origin)


def _item(run: Run, env: Env, node: cst.Subscript) -> Value:
    base = evaluate(run, env, node.value)
    if base.name in ("numpy.mgrid", "numpy.ogrid", "numpy.r_", "numpy.c_", "numpy.s_", "numpy.index_exp"):
        return _index_object(run, env, node, base.name)
    sure, dropped, added, _names, deps, traced = index_kind(run, env, node.slice)
    if base.kind is Kind.OBJECT:
        found = protocol.method(run, env, node, "__getitem__", node.value, base, protocol.indices(run, node))
        if found is not None:
            return found
    if base.kind is Kind.DICT and base.elements:
        need(run, node, Value(deps=deps, traced=traced), "it indexes a dict")
        held = join_all(base.elements)
        return replace(
            held, memory=base.memory, view=None, holds="", deps=held.deps | base.deps, origin=held.origin | base.origin
        )
    if base.kind is Kind.DICT and (hint := run.evidence.get(usage.place_of(node) or "")) is not None:
        if hint.kind is Kind.ARRAY:
            return Value(Kind.ARRAY, hint.dtype, -1, base.deps | deps, base.traced or traced, False, base.memory)
    if base.elements is not None and base.kind is not Kind.DICT:
        match node.slice:
            case [cst.SubscriptElement(slice=cst.Index(value=index))] if (position := literal_int(index)) is not None:
                if -len(base.elements) <= position < len(base.elements):
                    return base.elements[position]
    learn_array(run, node, base)
    if base.kind is Kind.TUPLE and base.name == "shape":
        for part in node.slice:
            if isinstance(part.slice, cst.Index) and (deps or traced):
                need(run, node, Value(deps=deps, traced=traced), "it indexes a tuple")
        return STATIC_INT if dropped else Value(Kind.TUPLE, "int", name="shape")
    if base.kind is not Kind.ARRAY:
        if base.kind in (Kind.LIST, Kind.TUPLE, Kind.DICT, Kind.STRING):
            need(run, node, Value(deps=deps, traced=traced), f"it indexes a {base.kind.value}")
        if any(isinstance(part.slice, cst.Slice) for part in node.slice) and base.kind in (Kind.LIST, Kind.TUPLE, Kind.STRING):
            return replace(base, elements=None, deps=base.deps | deps)
        if base.kind is Kind.LIST and base.dtype and dropped:
            return Value(Kind.SCALAR, base.dtype, 0, base.deps | deps, base.traced or traced)
        fixed = steady(run, node.slice) if base.kind is Kind.UNKNOWN and sure is BASIC else None
        view = viewed(with_place(base, path_of(node.value)), node, fixed) if fixed is not None else None
        return Value(Kind.UNKNOWN, deps=base.deps | deps, traced=base.traced or traced, memory=base.memory, view=view)
    both = base.deps | deps
    if any(_may_be_mask(run, part) for part in node.slice):
        run.impure[node] = "an index may be a boolean mask"
    if sure is ADVANCED:
        if any(_is_mask(run, part) for part in node.slice):
            run.impure[node] = MASKED
        memory = new_memory(run, env, node)
        return Value(Kind.ARRAY, base.dtype, -1, both, base.traced or traced, base.device, memory)
    rank = base.rank - dropped + added if base.rank >= 0 and sure is BASIC else -1
    if (
        rank == 0
        and dropped
        and not any(isinstance(p.slice, cst.Index) and isinstance(p.slice.value, cst.Ellipsis) for p in node.slice)
    ):
        return Value(Kind.SCALAR, base.dtype, 0, both, base.traced or traced or base.device, base.device)
    if sure is UNSURE:
        return Value(
            Kind.ARRAY, base.dtype, -1, both, base.traced or traced, base.device, base.memory | new_memory(run, env, node)
        )
    fixed = steady(run, node.slice)
    view = viewed(with_place(base, path_of(node.value)), node, fixed) if fixed is not None else None
    return Value(Kind.ARRAY, base.dtype, rank, both, base.traced or traced, base.device, base.memory, view=view)


def learn_array(run: Run, node: cst.Subscript, base: Value) -> None:
    """Only an array has an array as its index: what is indexed with one is one."""
    key = path_of(node.value)
    if (
        base.kind is not Kind.UNKNOWN
        or key is None
        or run.facts.pandas
        or run.evidence.get(key, UNKNOWN).kind is not Kind.UNKNOWN
    ):
        return
    for part in node.slice:
        index = run.values.get(part.slice.value, UNKNOWN) if isinstance(part.slice, cst.Index) else UNKNOWN
        if index.kind is Kind.ARRAY and (index.rank > 0 or category(index.dtype) == 0):
            run.learned[key] = Value(Kind.ARRAY)


def _is_mask(run: Run, part: cst.SubscriptElement) -> bool:
    if not isinstance(part.slice, cst.Index):
        return False
    value = run.values.get(part.slice.value, UNKNOWN)
    return value.kind in (Kind.ARRAY, Kind.UNKNOWN) and category(value.dtype) == 0


def _may_be_mask(run: Run, part: cst.SubscriptElement) -> bool:
    """What comes from outside, an array of a dtype that nobody knows, or something unknown."""
    if not isinstance(part.slice, cst.Index):
        return False
    value = run.values.get(part.slice.value, UNKNOWN)
    return value.kind in (Kind.ARRAY, Kind.UNKNOWN) and not value.dtype and bool(value.holds)


def _index_object(run: Run, env: Env, node: cst.Subscript, name: str) -> Value:
    """np.mgrid[...], np.r_[...] and their kin."""
    deps: frozenset[str] = NOTHING
    for part in node.slice:
        inside: Any = part.slice
        for child in (inside.lower, inside.upper, inside.step) if isinstance(inside, cst.Slice) else (inside.value,):
            if child is not None:
                value = evaluate(run, env, child)
                deps |= value.deps
                if isinstance(part.slice, cst.Slice):
                    need(run, child, value, "it sets a shape")
    if name in ("numpy.s_", "numpy.index_exp"):
        return Value(Kind.OBJECT, deps=deps, name="slice")
    if name == "numpy.ogrid":
        memory = new_memory(run, env, node)
        each = [
            Value(Kind.ARRAY, "", len(node.slice), deps, True, True, frozenset(f"{m}.{i}" for m in memory))
            for i in range(len(node.slice))
        ]
        return Value(Kind.LIST, memory=memory, traced=True, elements=tuple(each)) if len(each) > 1 else each[0]
    rank = len(node.slice) + 1 if name == "numpy.mgrid" and len(node.slice) > 1 else -1
    return Value(Kind.ARRAY, "", rank, deps, True, True, new_memory(run, env, node))


def literal_int(node: cst.CSTNode) -> int | None:
    match node:
        case cst.Integer():
            return int(node.evaluated_value)
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as inner):
            return -int(inner.evaluated_value)
    return None


def arithmetic(run: Run, env: Env, node: cst.CSTNode, operator: cst.CSTNode, left: Value, right: Value) -> Value:
    """The result of a binary operation or an augmented assignment."""
    made = _arithmetic(run, env, node, operator, left, right)
    if DRAWN in (left.name, right.name) and isinstance(node, cst.BinaryOperation):
        made = _with_drawn(made, left, right, operator)
    if made.kind is Kind.ARRAY and (immutable(left) or immutable(right)):
        made = replace(made, memory=frozenset({IMMUTABLE}))
    origin = left.origin | right.origin
    if origin and {left.kind, right.kind} & {Kind.LIST, Kind.TUPLE}:
        run.host_uses |= origin
    return replace(made, origin=origin) if origin else made


def _with_drawn(made: Value, left: Value, right: Value, operator: cst.CSTNode) -> Value:
    """Arithmetic with a number that was drawn: see `rules.mixed_dtypes`."""
    other = right if left.name == DRAWN else left
    if other.name == DRAWN or (other.kind is Kind.SCALAR and is_weak(other.dtype)):
        return replace(made, name=DRAWN) if made.kind is Kind.SCALAR and made.dtype in ("float64", "int64") else made
    drawn = left if left.name == DRAWN else right
    met = promote(other.dtype, of_python(drawn.dtype)) if other.kind in NUMERIC else ""
    division = category(met) < 2 and isinstance(operator, cst.Divide)
    return replace(made, dtype=strong(met)) if met and not division else made


def _arithmetic(run: Run, env: Env, node: cst.CSTNode, operator: cst.CSTNode, left: Value, right: Value) -> Value:
    deps, traced = left.deps | right.deps, left.traced or right.traced
    kinds = {left.kind, right.kind}
    if Kind.STRING in kinds:
        if traced or deps:
            need(run, node, Value(deps=deps, traced=traced), TEXT)
        return Value(Kind.STRING, deps=deps)
    if Kind.ARRAY not in kinds and (Kind.LIST in kinds or Kind.TUPLE in kinds):
        kind = left.kind if left.kind in (Kind.LIST, Kind.TUPLE) else right.kind
        return Value(kind, deps=deps, traced=traced, memory=left.memory | right.memory)
    division = type(operator) in (cst.Divide, cst.DivideAssign)
    dtype = promote(left.dtype, right.dtype)
    if division and dtype:
        dtype = (
            inexact(dtype) if category(dtype) < 2 and dtype not in ("int", "bool") else dtype if category(dtype) >= 2 else "float"
        )
        dtype = "float64" if category(promote(left.dtype, right.dtype)) < 2 and dtype != "float" else dtype
    if type(operator) in (cst.Power, cst.PowerAssign) and dtype == "int":
        exponent = getattr(node, "right", None) or getattr(node, "value", None)
        dtype = "int" if isinstance(exponent, cst.Integer) else ""  # a negative exponent makes a float
    if type(operator) in (cst.MatrixMultiply, cst.MatrixMultiplyAssign):
        rank = left.rank + right.rank - 2 if left.rank in (1, 2) and right.rank in (1, 2) else -1
        if rank == 0:
            return Value(Kind.SCALAR, dtype, 0, deps, True, left.device or right.device)
        return Value(Kind.ARRAY, dtype, rank, deps, traced, left.device or right.device, new_memory(run, env, node))
    rank = max(left.rank, right.rank) if left.rank >= 0 and right.rank >= 0 else -1
    if Kind.ARRAY in kinds:
        memory = new_memory(run, env, node)
        shape = same_shape([left, right], memory)
        number = all(v.number or v.kind is Kind.SCALAR for v in (left, right))
        return Value(Kind.ARRAY, dtype, rank, deps, traced, left.device or right.device, memory, shape=shape, number=number)
    if kinds == {Kind.SCALAR}:
        if why := unlike_traced(node, operator, left, right):
            need(run, node, Value(deps=deps, traced=traced), why)
        return Value(Kind.SCALAR, dtype, 0, deps, traced, left.device or right.device)
    product = type(operator) in (cst.Multiply, cst.MultiplyAssign)  # a list times an integer is a list
    number = (left.numeric and right.numeric) or (not product and (left.numeric or right.numeric))
    number = number or (product and {"float", "complex"} & {left.dtype, right.dtype} != set())
    number = number or type(operator) in (
        cst.Subtract,
        cst.SubtractAssign,
        cst.Divide,
        cst.DivideAssign,
        cst.Power,
        cst.PowerAssign,
    )
    memory = NOTHING if number else left.memory | right.memory
    return Value(Kind.UNKNOWN, dtype, rank, deps, traced, False, memory | new_memory(run, env, node), number=number)


def unlike_traced(node: cst.CSTNode, operator: cst.CSTNode, left: Value, right: Value) -> str:
    """Why arithmetic of Python's numbers gives others under jit, which makes int64 and bool arrays of them; "" if it does not."""
    dtypes = {left.dtype, right.dtype}
    if left.device or right.device or not dtypes <= {"int", "bool"}:
        return ""
    if dtypes == {"bool"} and not isinstance(operator, BITWISE):
        return "True and False count as 1 and 0"
    if type(operator) in (cst.Power, cst.PowerAssign, cst.LeftShift, cst.LeftShiftAssign):
        exponent = getattr(node, "right", None) or getattr(node, "value", None)
        shift = literal_int(exponent) if exponent is not None and "Shift" in type(operator).__name__ else None
        if shift is not None and 0 <= shift < SHORT_SHIFT:
            return ""  # as large as a product with a small number may be
        return "a power of Python's integers may be a fraction, or very large"
    if isinstance(operator, cst.Multiply) and isinstance(node, cst.BinaryOperation):
        if isinstance(node.left, cst.BinaryOperation) and isinstance(node.left.operator, cst.Multiply):
            return "a product of Python's integers may be very large"
    return ""


def same_shape(operands: Sequence[Value], memory: frozenset[str]) -> str:
    """The shape of an elementwise result: that of its operands, where they have the same; else its own."""
    shapes = {v.shape for v in operands if v.kind is not Kind.SCALAR and v.rank != 0}
    if len(shapes) == 1 and (only := shapes.pop()):
        return only
    return next(iter(memory), "")


def _binary(run: Run, env: Env, node: cst.BinaryOperation) -> Value:
    chain: list[cst.BinaryOperation] = []
    leaf: cst.BaseExpression = node
    while type(leaf) is cst.BinaryOperation:  # a long sum is nested on the left: no recursion there
        chain.append(leaf)
        leaf = leaf.left
    value = evaluate(run, env, leaf)
    for item in reversed(chain):
        value = arithmetic(run, env, item, item.operator, value, evaluate(run, env, item.right))
        run.values[item] = value
    return value


def _boolean(run: Run, env: Env, node: cst.BooleanOperation) -> Value:
    run.needs.pop(node.left, None)  # of an earlier turn of a loop, when less was traced
    left, right = evaluate(run, env, node.left), evaluate(run, env, node.right)
    if not branches.logical(run, node, node.left, node.right) and not generators.is_generator(left):  # which may be None
        need(run, node.left, left, branches.BLOCKED)
    return join(left, right)


def _comparison(run: Run, env: Env, node: cst.Comparison) -> Value:
    run.needs.pop(node, None)
    left = evaluate(run, env, node.left)
    result: Value | None = None
    first: Value | None = None
    for position, part in enumerate(node.comparisons):
        right = evaluate(run, env, part.comparator)
        deps, traced = left.deps | right.deps, left.traced or right.traced
        if left.origin | right.origin and {left.kind, right.kind} & {Kind.LIST, Kind.TUPLE}:
            run.host_uses |= left.origin | right.origin
        if isinstance(part.operator, (cst.Is, cst.IsNot)):
            value = scalar("bool")  # whether an argument is None is known when tracing
            if Kind.NONE not in (left.kind, right.kind):
                need(run, node, Value(deps=deps, traced=traced), "its identity is asked for")
        elif isinstance(part.operator, (cst.In, cst.NotIn)):
            need(run, node, Value(deps=deps, traced=traced), "membership is asked of Python")
            value = scalar("bool", deps, traced)
        elif Kind.ARRAY in (left.kind, right.kind):
            rank = max(left.rank, right.rank) if left.rank >= 0 and right.rank >= 0 else -1
            memory = new_memory(run, env, node)
            shape = same_shape([left, right], memory)
            value = Value(Kind.ARRAY, "bool_", rank, deps, traced, left.device or right.device, memory, shape=shape)
        elif left.kind is Kind.SCALAR and right.kind is Kind.SCALAR:
            value = scalar("bool", deps, traced)
        elif {left.kind, right.kind} & {Kind.STRING, Kind.TUPLE, Kind.LIST, Kind.DTYPE, Kind.NONE}:
            need(run, node, Value(deps=deps, traced=traced), "Python compares it")
            value = scalar("bool", deps, traced)
        else:
            value = Value(Kind.UNKNOWN, "bool", -1, deps, traced, memory=new_memory(run, env, node))
        if position:
            first = result
        result = value if result is None else join(result, value)
        left = right
    if first is not None and not branches.logical(run, node):
        need(run, node, first, "a chained comparison asks for the truth of its first part")
    return result or UNKNOWN


def _unary(run: Run, env: Env, node: cst.UnaryOperation) -> Value:
    if isinstance(node.operator, cst.Not):
        run.needs.pop(node.expression, None)
        value = evaluate(run, env, node.expression)
        if not branches.logical(run, node, node.expression):
            need(run, node.expression, value, branches.BLOCKED)
        return scalar("bool", value.deps, value.traced)
    value = evaluate(run, env, node.expression)
    if value.kind is Kind.SCALAR:
        dtype = "int" if value.dtype == "bool" else value.dtype
        return replace(value, dtype=dtype, holds="", view=None)
    return replace(value, memory=new_memory(run, env, node), holds="", view=None, elements=None)


def _conditional(run: Run, env: Env, node: cst.IfExp) -> Value:
    run.needs.pop(node.test, None)
    evaluate(run, env, node.test)
    yes, no = generators.conditional(run, env, node)
    return branches.conditional(run, node, evaluate(run, yes, node.body), evaluate(run, no, node.orelse))


def _display(run: Run, env: Env, node: cst.Tuple | cst.List | cst.Set) -> Value:
    values = [evaluate(run, env, e.value) for e in node.elements]
    kind = {cst.Tuple: Kind.TUPLE, cst.List: Kind.LIST}.get(type(node), Kind.OBJECT)
    starred = any(isinstance(e, cst.StarredElement) for e in node.elements)
    dtypes = {v.dtype if v.kind is Kind.SCALAR else "" for v in values}
    return Value(
        kind,
        dtype=dtypes.pop() if len(dtypes) == 1 else "",
        deps=frozenset().union(*(v.deps for v in values)),
        traced=any(v.traced for v in values),
        memory=frozenset().union(*(v.memory for v in values)),
        elements=None if starred else tuple(values),
        fresh=kind is Kind.LIST,
    )


def _dict(run: Run, env: Env, node: cst.Dict) -> Value:
    values: list[Value] = []
    for element in node.elements:
        if isinstance(element, cst.DictElement):
            key = evaluate(run, env, element.key)
            need(run, element.key, key, "it is a key of a dict")
        values.append(evaluate(run, env, element.value))
    return Value(
        Kind.DICT,
        deps=frozenset().union(*(v.deps for v in values)),
        traced=any(v.traced for v in values),
        memory=frozenset().union(*(v.memory for v in values)),
        elements=tuple(values) if all(isinstance(e, cst.DictElement) for e in node.elements) else None,
        fresh=True,
    )


def _formatted(run: Run, env: Env, node: cst.FormattedString) -> Value:
    for part in node.parts:
        if isinstance(part, cst.FormattedStringExpression):
            value = evaluate(run, env, part.expression)
            need(run, part.expression, value, TEXT)
    return Value(Kind.STRING)


def _concatenated(run: Run, env: Env, node: cst.ConcatenatedString) -> Value:
    evaluate(run, env, node.left)
    evaluate(run, env, node.right)
    return Value(Kind.STRING)


def _walrus(run: Run, env: Env, node: cst.NamedExpr) -> Value:
    value = evaluate(run, env, node.value)
    if isinstance(node.target, cst.Name):
        bind(run, env, node.target.value, with_place(value, path_of(node.value)), node)
    return value


def _starred(run: Run, env: Env, node: cst.StarredElement) -> Value:
    return evaluate(run, env, node.value)


def _comprehension(run: Run, env: Env, node: Any) -> Value:
    inner = dict(env)
    clause: cst.CompFor | None = node.for_in
    unrolled = True
    from .statements import iterate

    while clause is not None:
        iterated = evaluate(run, inner, clause.iter)
        run.depth += 1  # the names that it binds are its own
        iterate(run, inner, clause.target, clause.iter, iterated)
        run.depth -= 1
        for test in clause.ifs:
            truth(run, inner, test.test)
        unrolled = unrolled and structured(run, clause, inner, ())
        clause = clause.inner_for_in
    parts = [node.key, node.value] if isinstance(node, cst.DictComp) else [node.elt]
    run.depth += 1
    values = [evaluate(run, inner, part) for part in parts]
    run.depth -= 1
    if isinstance(node, cst.ListComp) and (found := maps.comprehension(run, node)) is not None:
        run.maps[node] = found
    elif not unrolled:
        run.loops[node] = "a comprehension is unrolled"
    for name, value in inner.items():
        if name.startswith("!") or name == "<escaped>":
            env[name] = value
    kind = Kind.LIST if type(node) is cst.ListComp else Kind.DICT if type(node) is cst.DictComp else Kind.OBJECT
    item = values[-1]
    memory = frozenset("old:" + m[4:] if m.startswith("new:") else m for m in item.memory)
    return Value(
        kind,
        dtype=item.dtype if item.kind is Kind.SCALAR else "",
        deps=item.deps,
        traced=item.traced,
        memory=memory,
        origin=item.origin,
        fresh=kind is not Kind.OBJECT,
    )


def _lambda(run: Run, env: Env, node: cst.Lambda) -> Value:
    from .statements import nested_params

    inner = dict(env)
    kept = nested_params(run, inner, node.params, env)
    run.depth += 1
    value = evaluate(run, inner, node.body)
    run.depth -= 1
    return Value(Kind.FUNCTION, deps=value.deps, traced=value.traced, memory=kept, name="<lambda>")


def _yield(run: Run, env: Env, node: cst.Yield | cst.Await) -> Value:
    run.impure[node] = "it is a generator" if isinstance(node, cst.Yield) else "it is a coroutine"
    inner = (
        node.value.item
        if isinstance(node, cst.Yield) and isinstance(node.value, cst.From)
        else (node.value if isinstance(node, cst.Yield) else node.expression)
    )
    if inner is not None:
        value = evaluate(run, env, inner)
        run.escape(env, value)
    return replace(UNKNOWN, memory=frozenset({"?"}))


_HANDLERS: dict[type, Callable[[Run, Env, Any], Value]] = {
    cst.Name: lambda run, env, node: _constant_name(run, env, node),
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.Call: lambda run, env, node: calls.call(run, env, node),
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _comparison,
    cst.UnaryOperation: _unary,
    cst.IfExp: _conditional,
    cst.Tuple: _display,
    cst.List: _display,
    cst.Set: _display,
    cst.Dict: _dict,
    cst.FormattedString: _formatted,
    cst.ConcatenatedString: _concatenated,
    cst.SimpleString: lambda run, env, node: Value(Kind.STRING),
    cst.Integer: lambda run, env, node: STATIC_INT,
    cst.Float: lambda run, env, node: Value(Kind.SCALAR, "float", 0),
    cst.Imaginary: lambda run, env, node: Value(Kind.SCALAR, "complex", 0),
    cst.NamedExpr: _walrus,
    cst.StarredElement: _starred,
    cst.ListComp: _comprehension,
    cst.SetComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.DictComp: _comprehension,
    cst.Lambda: _lambda,
    cst.Yield: _yield,
    cst.Await: _yield,
}
_LITERALS = {"None": Value(Kind.NONE), "True": Value(Kind.SCALAR, "bool", 0), "False": Value(Kind.SCALAR, "bool", 0)}


def _constant_name(run: Run, env: Env, node: cst.Name) -> Value:
    return _LITERALS.get(node.value) or _name(run, env, node)


__all__ = ["NUMERIC", "evaluate", "need", "truth"]
