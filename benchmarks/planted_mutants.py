"""The mutants of `benchmarks/planted.py`: one realistic bug each, planted in the text of a conversion."""

from __future__ import annotations

import ast
import copy
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

BOUNDARY: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
SWAPPED = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
    "floor": "ceil",
    "ceil": "floor",
    "any": "all",
    "all": "any",
    "zeros": "ones",
    "zeros_like": "ones_like",
}
NARROWED = {"float64": "float32", "int64": "int32", "complex128": "complex64"}
UNUSED = ("Variable", "RemoveDecorator")  # operators of Cosmic Ray that need names of variables; that only remove `jit`
LOOPS = {"fori_loop": (0, 1), "range": (0, 1, 2), "arange": (0, 1)}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A unit of code with one bug. `kind`: the mutation operator; `what`: the change in one line."""

    kind: str
    what: str
    source: str


def own_mutants(source: str) -> Iterator[Mutant]:
    """All mutants of a unit by the operators below, each in the text of one function."""
    tree = ast.parse(source)
    for top in tree.body:
        if not isinstance(top, ast.FunctionDef):
            continue
        for node in ast.walk(top):
            for kind, replacement in _replacements(node):
                mutated = ast.unparse(ast.fix_missing_locations(_Replace(node, replacement).visit(_shallow(tree))))
                yield Mutant(kind, f"{_words(node)} -> {_words(replacement)}", mutated)


def library_mutants(source: str, rng: random.Random, most: int) -> Iterator[Mutant]:
    """Up to `most` mutants by the operators of Cosmic Ray, the kinds of operators in turn. None if it is not installed."""
    try:
        from cosmic_ray.mutating import mutate_code  # type: ignore[import-not-found,unused-ignore]
        from cosmic_ray.plugins import get_operator, operator_names  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return
    groups: dict[str, list[str]] = defaultdict(list)
    for name in (name for name in operator_names() if not any(word in name for word in UNUSED)):
        groups["_".join(name.split("_")[:1])].append(name)
    order = list(groups.values())
    rng.shuffle(order)
    for names in order:
        rng.shuffle(names)
        found = 0
        for name in names:
            operator, occurrence = get_operator(name)(), rng.randrange(8)
            mutated = mutate_code(source, operator, occurrence) or mutate_code(source, operator, 0)
            if mutated and mutated != source and (what := _changed_line(source, mutated)):
                yield Mutant(name.removeprefix("core/"), what, mutated)
                found += 1
                most -= 1
            if most <= 0:
                return
            if found >= 2:
                break


def _changed_line(before: str, after: str) -> str:
    for old, new in zip(before.splitlines(), after.splitlines(), strict=False):
        if old != new:
            stripped = old.strip()
            return "" if stripped.startswith(("import", "@", "jax.config")) else f"{stripped} -> {new.strip()}"
    return ""


def _words(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split()) if isinstance(node, ast.expr) else type(node).__name__


def _shallow(tree: ast.Module) -> ast.Module:
    """A copy in which the expressions are shared: the transformer copies what it changes."""
    return tree


class _Replace(ast.NodeTransformer):
    """Replaces one node by another, on the way down from copies of its parents."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.old:
            return self.new
        return self.generic_visit(copy.copy(node))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, [self.visit(item) if isinstance(item, ast.AST) else item for item in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node


def _replacements(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in BOUNDARY:
            yield "boundary of a comparison", _with(node, ops=[BOUNDARY[type(op)]()])
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr()) | ast.BoolOp(values=[_, _]):
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else node.values
            if _is_condition(parts[0]) or _is_condition(parts[1]):
                yield "dropped condition", parts[0]
                yield "dropped condition", parts[1]
        case ast.BinOp(op=ast.Sub(), left=left, right=right) if not isinstance(right, ast.Constant):
            yield "swapped operands", _with(node, left=right, right=left)
        case ast.BinOp(op=ast.FloorDiv()):
            yield "rounded up", ast.UnaryOp(ast.USub(), _with(node, left=ast.UnaryOp(ast.USub(), node.left)))
        case ast.Call():
            yield from _calls(node)
        case ast.Subscript(slice=index):
            for part, changed in _bounds(index):
                yield "bound of a slice or index", _with(node, slice=_Replace(part, changed).visit(index))
        case ast.Constant(value=float(value)):
            yield "constant", ast.Constant(value * 1.05 if value else 0.05)
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            yield "constant", ast.Constant(value + 1)
        case ast.Attribute(value=ast.Name(id="jnp" | "np"), attr=name) if name in NARROWED:
            yield "dtype narrowed", _with(node, attr=NARROWED[name])


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    args = node.args
    if name in LOOPS:
        for position in LOOPS[name]:
            if position < len(args) and not isinstance(args[position], ast.Starred):
                if name == "arange" and len(args) == 1 and position == 0:
                    continue  # the shapes would not fit: nothing that anybody overlooks
                for op in (ast.Add(), ast.Sub()):
                    moved = ast.BinOp(args[position], op, ast.Constant(1))
                    yield "bound of a loop", _with(node, args=[*args[:position], moved, *args[position + 1 :]])
    if name == "where" and len(args) == 3:
        yield "dropped guard", args[1]
        yield "dropped guard", args[2]
    if name == "clip" and len(args) >= 3:
        yield "clip limit", _with(node, args=[args[0], args[1], ast.Call(ast.Name("abs"), [args[1]], [])])
        yield "clip limit", ast.Call(_with(node.func, attr="maximum"), [args[0], args[1]], [])
        yield "clip limit", ast.Call(_with(node.func, attr="minimum"), [args[0], args[2]], [])
    if name in ("set", "add") and ".at" in ast.unparse(node.func):
        yield "set and add", _with(node, func=_with(node.func, attr="add" if name == "set" else "set"))
    if name in ("cond", "select") and len(args) >= 3:
        yield "dropped branch", _with(node, args=[args[0], args[1], args[1], *args[3:]])
    if name in SWAPPED:
        func = _with(node.func, attr=SWAPPED[name]) if isinstance(node.func, ast.Attribute) else ast.Name(SWAPPED[name])
        yield "swapped function", _with(node, func=func)
    if name == "abs" and len(args) == 1:
        yield "dropped function", args[0]
    for word in node.keywords:
        if word.arg == "axis" and isinstance(word.value, ast.Constant) and isinstance(word.value.value, int):
            other = ast.Constant(0 if word.value.value else 1)
            words = [ast.keyword("axis", other) if one is word else one for one in node.keywords]
            yield "another axis", _with(node, keywords=words)


def _bounds(index: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each bound of a subscript with the same one moved by one."""
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        ends = [part.lower, part.upper] if isinstance(part, ast.Slice) else [part]
        for end in ends:
            if end is not None and not isinstance(end, ast.Constant) and not isinstance(part, ast.Slice):
                yield end, ast.BinOp(end, ast.Sub(), ast.Constant(1))
        if isinstance(part, ast.Slice) and part.upper is not None:
            yield part.upper, ast.BinOp(part.upper, ast.Sub(), ast.Constant(1))


def _is_condition(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) or (isinstance(node, ast.Call) and "is" in ast.unparse(node.func))


def _with(node: ast.AST, **changed: object) -> ast.expr:
    made = copy.copy(node)
    for name, value in changed.items():
        setattr(made, name, value)
    assert isinstance(made, ast.expr)
    return made
