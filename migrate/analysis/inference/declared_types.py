"""What a function declares about its parameters: annotations, defaults, numpydoc."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import Value
from .big_integers import large

_ARRAY_TYPES = (
    "ndarray",
    "NDArray",
    "ArrayLike",
    "Array",
    "Float",
    "Int",
    "Complex",
    "Inexact",
    "Shaped",
    "Num",
    "Bool",
    "Real",
    "UInt",
)
_DTYPE_NAMES = re.compile(r"\b(float16|float32|float64|int8|int16|int32|int64|uint8|uint16|uint32|uint64|complex64|complex128)\b")
_DOC_PARAM = re.compile(r"^[ \t]*(\*{0,2}\w+(?:\s*,\s*\w+)*)[ \t]*:[ \t]*(.+)$", re.M)
# An array, as in `tuple(ndarray(float))`, `list of arrays` or `function that returns an array`, is what it holds or makes.
_HOLDER = re.compile(
    r"^\W*(callable|dict\w*|function|generator|instance|iterable|iterator|list|mapping|object|sequence|set|tuple)\b|"
    r"\b(dict\w*|iterable|list|sequence|tuple)s?\s*(\(|\[|of\b)"
)


def annotation(node: cst.BaseExpression | None) -> Value | None:
    """The value that an annotation declares; None if it declares nothing that np2jax knows."""
    match node:
        case cst.Name(value="float"):
            return Value(Kind.SCALAR, "float", 0)
        case cst.Name(value="int"):
            return Value(Kind.SCALAR, "int", 0)
        case cst.Name(value="complex"):
            return Value(Kind.SCALAR, "complex", 0)
        case cst.Name(value="bool"):
            return Value(Kind.SCALAR, "bool", 0)
        case cst.Name(value="str") | cst.Name(value="bytes"):
            return Value(Kind.STRING)
        case cst.Name(value="dict") | cst.Name(value="Dict") | cst.Name(value="Mapping"):
            return Value(Kind.DICT)
        case cst.Name(value="list") | cst.Name(value="List"):
            return Value(Kind.LIST)
        case cst.Name(value="tuple") | cst.Name(value="Tuple"):
            return Value(Kind.TUPLE)
        case cst.Name(value="Generator") | cst.Attribute(attr=cst.Name(value="Generator")):
            return Value(Kind.OBJECT, name="numpy.random.Generator")
        case cst.Attribute(attr=cst.Name(value="RandomState")):
            return Value(Kind.OBJECT, name="numpy.random.RandomState")
        case cst.Name(value="Callable"):
            return Value(Kind.FUNCTION)
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)) if name in (
            "ndarray",
            "NDArray",
            "Array",
            "jax.Array",
        ):
            return Value(Kind.ARRAY)
        case cst.Name(value="ArrayLike") | cst.Attribute(attr=cst.Name(value="ArrayLike")):
            return None
        case cst.SimpleString() | cst.ConcatenatedString():
            text = node.evaluated_value
            if isinstance(text, str):
                try:
                    return annotation(cst.parse_expression(text))
                except cst.ParserSyntaxError:  # jaxtyping's shape strings are not expressions
                    return None
            return None
        case cst.Subscript(value=base, slice=elements):
            return _subscript(base, elements)
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
            return _optional([left, right])
    return None


def _subscript(base: cst.BaseExpression, elements: object) -> Value | None:
    name = base.value if isinstance(base, cst.Name) else base.attr.value if isinstance(base, cst.Attribute) else ""
    inner = [e.slice.value for e in elements if isinstance(e.slice, cst.Index)] if isinstance(elements, (list, tuple)) else []
    if name == "Optional":
        return annotation(inner[0]) if inner else None
    if name == "Union":
        return _optional(inner)
    if name in ("Annotated", "Final"):
        return annotation(inner[0]) if inner else None
    if name in ("ndarray", "NDArray"):
        text = (
            cst.Module([]).code_for_node(base.deep_clone())
            if not inner
            else " ".join(cst.Module([]).code_for_node(e.deep_clone()) for e in inner)
        )
        found = [*_DTYPE_NAMES.findall(text), *("bool_" for _name in re.findall(r"\bbool_?\b", text))]
        return Value(Kind.ARRAY, found[0] if len(set(found)) == 1 else "")
    if name in _ARRAY_TYPES and inner:  # jaxtyping: Float[Array, "n m"]
        return Value(Kind.ARRAY)
    return (
        annotation(cst.Name(name)) if name in ("list", "List", "dict", "Dict", "Mapping", "tuple", "Tuple", "Callable") else None
    )


def _optional(parts: list[cst.BaseExpression]) -> Value | None:
    known = [annotation(p) for p in parts if not (isinstance(p, cst.Name) and p.value == "None")]
    if len(known) == 1:
        return known[0]
    return None


def default(node: cst.BaseExpression | None) -> Value | None:
    """The value that a default suggests: the parameter of a numeric default is likely a number; None suggests nothing."""
    if node is not None and (constant := large(node)) is not None:
        return constant
    match node:
        case cst.Integer():
            return Value(Kind.SCALAR, "int", 0)
        case cst.Float():
            return Value(Kind.SCALAR, "float", 0)
        case cst.Name(value="True") | cst.Name(value="False"):
            return Value(Kind.SCALAR, "bool", 0)
        case cst.SimpleString() | cst.ConcatenatedString():
            return Value(Kind.STRING)
        case cst.UnaryOperation(expression=inner):
            return default(inner)
    return None


def docstring_kinds(text: str) -> Iterator[tuple[str, Value]]:
    """The parameters that a numpydoc section describes, with what it says they are: an array, a number, a string ..."""
    for names, described in _DOC_PARAM.findall(text):
        words = described.lower()
        value = None
        if re.search(_HOLDER, words):  # such as a tuple of arrays
            kinds = {"tuple": Kind.TUPLE, "list": Kind.LIST, "dict": Kind.DICT}
            kind = next((kind for word, kind in kinds.items() if re.match(rf"\W*{word}", words)), None)
            value = None if kind is None or re.search(r"\bor\b", words) else Value(kind)
        elif re.search(r"\b(ndarray|np\.array|numpy array|array)\b", words) and "like" not in words and "callable" not in words:
            value = Value(Kind.ARRAY, *_DTYPE_NAMES.findall(words)[:1])
        elif re.match(r"(int|integer)\b", words):
            value = Value(Kind.SCALAR, "int", 0)
        elif re.match(r"(float|scalar|number)\b(?!.*array)", words):
            value = Value(Kind.SCALAR, "", 0)
        elif re.match(r"(str|string)\b", words):
            value = Value(Kind.STRING)
        elif re.match(r"(bool|boolean)\b", words):
            value = Value(Kind.SCALAR, "bool", 0)
        if value is not None:
            for name in re.split(r"\s*,\s*", names):
                yield name.lstrip("*"), value
