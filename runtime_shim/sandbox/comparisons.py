"""The comparisons that a source file makes: pairs of expressions that can be evaluated again without an effect.

Besides `<` and its kind, what has a boundary counts: the limits of `clip`, `min` and `max`, the divisor that may be zero, the
number that is rounded, the items that are ordered.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
HARMLESS = {"abs", "len", "min", "max", "float", "int", "sum"}
LIBRARIES = {"np", "numpy", "math", "np.linalg", "numpy.linalg"}
METHODS = {"sum", "mean", "std", "var", "min", "max", "prod", "any", "all", "dot", "ravel", "reshape", "astype", "copy", "item"}
EXTREMES = {"min", "max", "minimum", "maximum", "fmin", "fmax"}
ROUNDED = {"floor", "ceil", "trunc", "int"}
TO_NEAREST = {"rint", "round", "around"}
FROM_ZERO = {"abs", "absolute", "fabs", "sign", "sqrt", "log"}
ORDERING = {"argmin", "argmax", "argsort", "sort", "sorted", "unique", "median"}
DECOMPOSITIONS = {"svd", "eig", "eigh", "eigvals", "eigvalsh", "qr", "pinv", "lstsq", "matrix_rank"}
INTEGERS = {"int", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
CAST = "cast to "
SORTED = {"searchsorted": 0, "digitize": 1, "interp": 1}  # which argument has to be sorted: otherwise the result means nothing


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two expressions that the code compares. `place`: where, unique in the file.

    `right` may be a word: "whole" for the nearest whole number, "half" for the number half-way between the two nearest ones, "next" for the next larger item, "sorted" for the item that follows
    where the items have to be sorted, "increasing" where they must not be equal either, "untied" for the next larger item where NumPy puts equal ones into any order,
    "finite" where no item may be NaN or infinite, "cast to int16" for the nearest whole number, which that dtype has to hold, "unknown" for a divisor that cannot be evaluated again, "decomposed" where a matrix is
    decomposed: rounding decides about the vectors of a singular one. `divides`: `left` is a divisor, which is compared with 0.
    """

    place: str
    left: CodeType
    right: CodeType | str
    divides: bool = False


def compared_pairs(tree: ast.Module) -> dict[int, list[ComparedPair]]:
    """The pairs by the line of the statement that compares them, those of divisions first."""
    found: dict[int, list[ComparedPair]] = defaultdict(list)
    for line, expression in headers(tree):
        for node in ast.walk(expression):
            for number, (left, right) in enumerate(_pairs_of(node)):
                if _is_harmless(left) and (isinstance(right, str) or _is_harmless(right)):
                    code = right if isinstance(right, str) else _code(right)
                    divides = number == 0 and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
                    found[line].append(ComparedPair(f"{place(node)}.{number}", _code(left), code, divides))
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and not _is_harmless(node.right):
                found[line].append(_without_operands(node, "unknown"))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in DECOMPOSITIONS:
                found[line].append(_without_operands(node, "decomposed"))
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            if _is_harmless(node.value):
                pair = ComparedPair(f"{place(node.value)}.0", _code(node.value), _code(ast.Constant(0)), True)
            else:
                pair = _without_operands(node.value, "unknown")
            found[node.lineno].append(pair)
    return {line: sorted(pairs, key=lambda pair: not pair.divides) for line, pairs in found.items()}


def _without_operands(node: ast.expr, what: str) -> ComparedPair:
    return ComparedPair(f"{place(node)}.{what}", _code(ast.Constant(0)), what)


def place(node: ast.AST) -> str:
    """A name for an expression that no other one of its file has."""
    assert isinstance(node, ast.expr)
    return f"{type(node).__name__}{node.lineno}.{node.col_offset}-{node.end_lineno}.{node.end_col_offset}"


def is_followed(node: ast.Compare) -> bool:
    """Whether both sides of a comparison of two operands are seen when it is followed."""
    return (
        len(node.ops) == 1 and isinstance(node.ops[0], ORDERED) and _is_harmless(node.left) and _is_harmless(node.comparators[0])
    )


def headers(tree: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    """The expressions of each statement, without those of the statements inside it, and the line at which it starts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield node.lineno, child


def _pairs_of(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | str]]:
    match node:
        case ast.Compare(left=first, ops=ops, comparators=others):
            for left, op, right in zip([first, *others], ops, others, strict=False):
                if isinstance(op, ORDERED):
                    yield left, right
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod() as op, right=right):
            yield right, ast.Constant(0)
            if not isinstance(op, ast.Div):
                yield ast.BinOp(node.left, ast.Div(), right), "whole"
        case ast.Call(func=ast.Attribute(value=value, attr="astype"), args=args):
            dtype = ast.unparse(args[0]).rpartition(".")[2].strip("'\"") if args else ""
            yield value, f"{CAST}{dtype}" if dtype in INTEGERS else "whole"
        case ast.Call(func=ast.Attribute(value=value, attr="argsort"), args=[], keywords=[]):
            yield value, "untied"
        case ast.Call(func=ast.Attribute(attr="argsort"), args=[value], keywords=[]):
            yield value, "untied"
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[]) if name in ORDERING:
            yield value, "next"
        case ast.Call(func=function, args=args):
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in EXTREMES:
                yield from _extremes(function, name, args)
            elif name == "clip" and len(args) == 3:
                yield args[0], args[1]
                yield args[0], args[2]
            elif name in ROUNDED and len(args) == 1:
                yield args[0], "whole"
            elif name in TO_NEAREST and len(args) == 1:
                yield args[0], "half"
            elif name in FROM_ZERO and len(args) == 1:
                yield args[0], ast.Constant(0)
            elif name in ORDERING and args:
                yield args[0], "next"
            elif name in SORTED and len(args) > 1:
                yield args[SORTED[name]], "increasing" if name == "interp" else "sorted"
                if name == "interp" and len(args) > 2:
                    yield args[2], "finite"


def _extremes(function: ast.expr, name: str, args: list[ast.expr]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The operands of `min` and `max`; of more than two each, and what the others give: which one wins is a branch."""
    operands = list(args[0].elts) if len(args) == 1 and isinstance(args[0], ast.List | ast.Tuple) else args
    if len(operands) == 2 and (len(args) == 2 or isinstance(function, ast.Name)):
        yield operands[0], operands[1]
    elif len(operands) > 2 and name in ("min", "max") and isinstance(function, ast.Name):
        for position, operand in enumerate(operands):
            yield operand, ast.Call(function, [*operands[:position], *operands[position + 1 :]], [])


def _is_harmless(expression: ast.expr) -> bool:
    """Whether evaluating it once more changes nothing: names, items, arithmetic, and functions known to be pure."""
    match expression:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return _is_harmless(value)
        case ast.Call(func=function, args=args, keywords=words):
            inner: list[ast.expr] = []
            known = isinstance(function, ast.Name) and function.id in HARMLESS
            if isinstance(function, ast.Attribute):
                library = ast.unparse(function.value) in LIBRARIES
                known, inner = library or function.attr in METHODS, [function.value]
            return known and all(map(_is_harmless, [*args, *inner, *(word.value for word in words)]))
        case ast.BinOp() | ast.UnaryOp() | ast.Subscript() | ast.Slice() | ast.Tuple() | ast.Compare():
            return all(_is_harmless(child) for child in ast.iter_child_nodes(expression) if isinstance(child, ast.expr))
    return False


def _code(expression: ast.expr) -> CodeType:
    body = ast.fix_missing_locations(ast.Expression(expression))
    return compile(body, "<compared>", "eval")
