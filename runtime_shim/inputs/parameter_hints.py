"""What the source says about a parameter: its annotation, its documentation, its default, and its uses in the body."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..values.snapshot import Array, Node, Snapshot
from .callables import functions_for

Dim = int | str


@dataclass(frozen=True, slots=True)
class Hint:
    """What a parameter accepts.

    `kind`: array, scalar, size (a small positive int), flag, string, fixed (its default), random, callable, unknown, object. `dtype`: a
    NumPy dtype name, or "int", "float", "complex" for a scalar, "" if unknown. `rank`: -1 if unknown, but at least `minimum`.
    `shape`: if documented. `literals`: values with which the body compares it. `index`: its values are indices into an array.
    `tested`: ranks on both sides of the tests of its rank. `sequence`: the body uses it as a sequence of this many numbers, 0 for any number, -1 if it does not. `sure`: documented, not guessed. `used_as_array`: the body uses it like an array, whatever its default is. `sizelike`: it
    may be a size, by its name or because it occurs in a shape.
    """

    kind: str = "unknown"
    dtype: str = ""
    rank: int = -1
    minimum: int = 1
    shape: tuple[Dim, ...] = ()
    literals: tuple[Snapshot, ...] = ()
    index: bool = False
    sure: bool = False
    used_as_array: bool = False
    sizelike: bool = False
    sequence: int = -1
    tested: tuple[int, ...] = ()


DTYPE = re.compile(r"\b(float16|float32|float64|complex64|complex128|u?int(?:8|16|32|64)|bool_?|intp)\b")
SEQUENCE = re.compile(r"\b(list|tuple|sequence|pair)s?( of|\[)", re.I)
SHAPE = re.compile(r"\(\s*([A-Za-z0-9_]+\s*(?:,\s*[A-Za-z0-9_]+\s*)*,?)\s*\)")
ELEMENTS = re.compile(r"(\d+)[ -](?:elements?|vectors?|items?|d vectors?)|(?:length|size) (\d+)")
ARRAYS = re.compile(
    r"\b(nd-?array|NDArray|array|ArrayLike|vectors?|matrix|matrices|mat|image|Array)\b|array[_-]like|array like", re.I
)
SCALARS = {
    "float": "float",
    "int": "int",
    "integer": "int",
    "complex": "complex",
    "scalar": "float",
    "number": "float",
    "real": "float",
}
ARRAY_ATTRIBUTES = {
    "shape",
    "T",
    "dtype",
    "ndim",
    "size",
    "sum",
    "mean",
    "dot",
    "reshape",
    "copy",
    "astype",
    "max",
    "min",
    "ravel",
    "std",
}
DRAWS = set(
    "random normal uniform integers randint rand randn random_sample standard_normal standard_exponential standard_gamma choice "
    "permutation permuted shuffle exponential poisson binomial beta gamma lognormal laplace multivariate_normal dirichlet "
    "multinomial".split()
)
GENERATORS = re.compile(r"\b(Generator|RandomState)\b(?!\[)")
SIZE_NAMES = re.compile(
    r"[NMKLIJHWCT]|[NMKHWCT][A-Za-z]{1,2}|n|n[_a-z]?(?:steps?|iter|bins|points|x|y|z|t)|n_\w+|num_?\w*|"
    r"size|width|height|depth|length|count|steps?|maxiter|max_iter|iterations?|degree|order|TSTEPS|tmax|\w+_size|\w+_count"
)
SIZE_CALLS = {"range", "zeros", "ones", "empty", "eye", "identity", "arange", "full"}


def hints(
    source: ast.FunctionDef | ast.AsyncFunctionDef,
    params: Sequence[str],
    annotations: Mapping[str, str],
    doc: str,
    defaults: Mapping[str, Snapshot],
    kinds: Mapping[str, str],
) -> dict[str, Hint]:
    """A hint for each parameter, from the strongest source available; its uses in the body fill in what is missing."""
    documented = dict(_numpydoc(doc))
    found = {}
    for name in params:
        told = [
            _from_kind(kinds.get(name, "")),
            _from_text(annotations.get(name, ""), True),
            _from_text(documented.get(name, ""), False),
        ]
        told.append(_from_default(defaults[name]) if name in defaults else Hint())
        used = _from_use(source, name)
        hint = used if used.kind == "random" else next((one for one in told if one.kind != "unknown"), used)
        richer = [one for one in (*told, used) if one.kind == hint.kind]
        hint = replace(
            hint,
            dtype=next((one.dtype for one in richer if one.dtype), hint.dtype),
            rank=next((one.rank for one in richer if one.rank >= 0), -1),
            shape=next((one.shape for one in richer if one.shape), ()),
            minimum=used.minimum,
            literals=used.literals,
            index=used.index,
            sure=any(one.kind != "unknown" for one in told[:3]),
            used_as_array=used.kind == "array" or (name in defaults and defaults[name] is None and _is_operand(source, name)),
            tested=used.tested,
            sequence=max(used.sequence, 0 if SEQUENCE.search(documented.get(name, "") + annotations.get(name, "")) else -1),
            sizelike=used.sizelike or bool(SIZE_NAMES.fullmatch(name)),
        )
        if hint.kind not in ("random", "string") and (
            functions := functions_for(source, name)
        ):  # whatever its documentation says
            hint = replace(hint, kind="callable", literals=functions)
        found[name] = (
            replace(hint, kind="size") if hint.kind == "scalar" and used.kind == "size" and hint.dtype in ("int", "") else hint
        )
    return found


def _from_kind(kind: str) -> Hint:
    """The hint for a kind from the analysis: "array:float64:2", "scalar:float", "static:int", "string"."""
    head, _, rest = kind.partition(":")
    dtype, _, rank = rest.partition(":")
    if head == "array":
        return Hint("array", dtype, int(rank) if rank.lstrip("-").isdigit() else -1)
    if head in ("scalar", "static"):
        if dtype in ("bool", "str", "string", "dtype"):
            return Hint({"bool": "flag", "dtype": "fixed"}.get(dtype, "string"))
        return Hint("size" if head == "static" else "scalar", dtype)
    if head == "string":
        return Hint("string")
    return Hint("object") if head in ("object", "function", "class", "module") else Hint()


def _from_text(text: str, annotation: bool) -> Hint:
    """The hint for an annotation ("NDArray[np.float64]", "Float[Array, 'n m']") or a numpydoc type ("(M, N) array_like")."""
    if not text:
        return Hint()
    if choices := re.search(r"\{(.*?)\}", text):
        literals = [part.strip() for part in choices.group(1).split(",")]
        if all(part[:1] in "'\"" for part in literals):
            return Hint("string", literals=tuple(part.strip("'\"") for part in literals))
    if GENERATORS.search(text):
        return Hint("random")
    shape = _shape(text)
    if ARRAYS.search(text) or shape:
        dtype = DTYPE.search(text)
        name = dtype.group(1).rstrip("_") if dtype else "int64" if re.search(r"\bInt\[|of ints?\b|integers", text) else ""
        rank = 2 if not shape and re.search(r"\bmatri(x|ces)\b", text) else len(shape) or -1
        return Hint("array", name, rank, shape=shape)
    if re.search(r"\bbool(ean)?\b", text):
        return Hint("flag")
    if re.search(r"\bstr(ing)?\b", text):
        return Hint("string")
    for word, dtype_name in SCALARS.items():
        if re.search(rf"\b{word}\b", text):
            return Hint("scalar", dtype_name)
    return Hint("object") if annotation and re.search(r"Callable|Path|IO\b", text) else Hint()


def _shape(text: str) -> tuple[Dim, ...]:
    """The shape in a text: "(N, 3) array", "Float[Array, 'n m']", "4 element sequence"."""
    if quoted := re.search(r"\[[^\]]*?,\s*['\"]([A-Za-z0-9_ ]+)['\"]\s*\]", text):
        return tuple(map(_dim, quoted.group(1).split()))
    if match := SHAPE.search(text):
        return tuple(_dim(part.strip()) for part in match.group(1).split(",") if part.strip())
    if match := ELEMENTS.search(text):
        return (int(match.group(1) or match.group(2)),)
    return ()


def _dim(word: str) -> Dim:
    return int(word) if word.isdigit() else word


def _numpydoc(doc: str) -> Iterator[tuple[str, str]]:
    """The parameters in numpydoc sections, each with the text of its type and the line after it."""
    lines = doc.splitlines()
    start = next(
        (i + 2 for i in range(len(lines) - 1) if lines[i].strip() == "Parameters" and set(lines[i + 1].strip()) == {"-"}), None
    )
    for i in range(start or len(lines), len(lines)):
        if i + 1 < len(lines) and lines[i + 1].strip() and set(lines[i + 1].strip()) == {"-"}:
            return
        if match := re.match(r"(\*{0,2}\w+(?:\s*,\s*\w+)*)\s*:\s*(.*)", lines[i]):
            for name in match.group(1).split(","):
                yield name.strip().lstrip("*"), match.group(2)


def _from_default(default: Snapshot) -> Hint:
    match default:
        case bool():
            return Hint("flag")
        case float():
            return Hint("scalar", "float")
        case int():
            return Hint("scalar", "int")
        case str():
            return Hint("string")
        case Array(data=data):
            return Hint("array", data.dtype.name, data.ndim) if data.ndim else Hint("scalar", data.dtype.name)
        case Node() | None:
            return Hint("fixed")
    return Hint()


def _from_use(source: ast.AST, name: str) -> Hint:
    """The hint from the uses of a parameter in the body: subscripts, attributes, sizes, comparisons with strings, products."""
    hint = Hint()
    literals: list[Snapshot] = []
    for node in ast.walk(source):
        match node:
            case ast.Subscript(value=ast.Name(id=found), slice=index) if found == name:
                rank = sum(map(_is_axis, index.elts)) if isinstance(index, ast.Tuple) else -1
                hint = replace(hint, kind="array", minimum=max(hint.minimum, rank))
            case ast.Subscript(slice=index) if any(
                isinstance(part, ast.Name) and part.id == name for part in _index_parts(index)
            ):
                hint = replace(hint, index=True)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=found), attr="shape"), slice=ast.Constant(value=int(axis))):
                if found == name and axis >= 0:
                    hint = replace(hint, kind="array", minimum=max(hint.minimum, axis + 1))
            case ast.Attribute(value=ast.Name(id=found), attr=attribute) if found == name and attribute in DRAWS:
                return Hint("random")
            case ast.Attribute(value=ast.Name(id=found), attr=attribute) if found == name and attribute in ARRAY_ATTRIBUTES:
                hint = replace(hint, kind="array")
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(value=ast.Name(id=found), attr="shape")) if (
                found == name
            ):
                hint = replace(hint, kind="array", rank=len(names))
            case ast.AugAssign(target=ast.Name(id=found), value=value) if found == name and not isinstance(value, ast.Constant):
                hint = replace(hint, kind="array")  # it may be updated in place
            case ast.BinOp(left=left, op=ast.MatMult(), right=right) if name in (_name(left), _name(right)):
                hint = replace(hint, kind="array")
            case ast.Call(func=ast.Name(id="len" | "tuple" | "list" | "enumerate"), args=[ast.Name(id=found)]) if found == name:
                hint = replace(hint, kind="array", sequence=max(hint.sequence, 0))
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id=found)) if found == name:
                hint = replace(hint, sequence=len(names))
            case ast.Call(func=function, args=args) if _name(function) in SIZE_CALLS and hint.kind == "unknown":
                if any(
                    _name(part) == name
                    for arg in (args if _name(function) == "range" else args[:1])
                    for part in ([arg] if not isinstance(arg, ast.Tuple) else arg.elts)
                ):
                    hint = replace(hint, kind="size", dtype="int")
            case ast.Call(args=args) if any(isinstance(arg, ast.Tuple) and name in map(_name, arg.elts) for arg in args):
                hint = replace(hint, sizelike=True)  # it may be a shape
            case ast.For(iter=ast.Name(id=found)) if found == name:
                hint = replace(hint, kind="array")
            case ast.Compare(
                left=ast.Attribute(value=ast.Name(id=found), attr="ndim"), comparators=[ast.Constant(value=int(rank))]
            ) if found == name:
                hint = replace(hint, kind="array", tested=(*hint.tested, *(near for near in (rank, rank - 1) if near > 0)))
            case ast.Compare(left=ast.Name(id=found), comparators=compared) if found == name:
                parts = [
                    part for one in compared for part in (one.elts if isinstance(one, ast.Tuple | ast.List | ast.Set) else [one])
                ]
                literals += [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    if literals and hint.kind == "unknown":
        hint = replace(hint, kind="string")
    if hint.kind == "unknown" and not hint.index and _is_tested(source, name):
        hint = replace(hint, kind="scalar")
    return replace(hint, literals=tuple(dict.fromkeys(literals)))


def _is_operand(source: ast.AST, name: str) -> bool:
    """Whether the body computes with the parameter itself: `d * weights`."""
    return any(name in (_name(node.left), _name(node.right)) for node in ast.walk(source) if isinstance(node, ast.BinOp))


def _is_tested(source: ast.AST, name: str) -> bool:
    """Whether `if` or `while` compares the parameter itself with something: no array of several elements can be."""
    tests = (node.test for node in ast.walk(source) if isinstance(node, ast.If | ast.While | ast.IfExp))
    return any(name in map(_name, operands) for test in tests for operands in _ordered(test))


def _ordered(test: ast.expr) -> Iterator[list[ast.expr]]:
    """The operands of the comparisons by size that a test consists of, those of `np.any(x < y)` not."""
    match test:
        case ast.Compare(left=left, ops=ops, comparators=others):
            if all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in ops):
                yield [part for one in (left, *others) for part in _terms(one)]
        case ast.BoolOp(values=values):
            for value in values:
                yield from _ordered(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _ordered(operand)


def _terms(operand: ast.expr) -> list[ast.expr]:
    """The operands of its arithmetic."""
    match operand:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow(), right=right):
            return [*_terms(left), *_terms(right)]
        case ast.UnaryOp(operand=inner):
            return _terms(inner)
    return [operand]


def _is_axis(index: ast.expr) -> bool:
    """Whether an element of a subscript consumes a dimension: None adds one, and an ellipsis stands for any number."""
    return not (isinstance(index, ast.Constant) and index.value in (None, ...)) and _name(index) != "newaxis"


def _index_parts(index: ast.expr) -> list[ast.expr]:
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
