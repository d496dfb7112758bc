"""What is known of the numbers in an array: integers, counts, means; as the `name` and the `what` of an abstract value."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ...rules.facts.numbers import COUNT, FLOATS, INTEGERS, INTS, OWN, ROUNDED, Arange, Joined, Mean, category
from ...rules.facts.traced_values import ARRAY, EXTERNAL, NONE, NUMBER, TEXT, TREE, UNKNOWN, Traced
from ...rules.jax_table.array_functions import TYPES
from .literals import integers
from .operators import number_type

COUNTING = frozenset("argmax argmin argsort count_nonzero searchsorted bincount".split())
SHIFTED = "shifted"  # a difference, or in bounds: its `exp` need not overflow
BOUNDED = frozenset("clip minimum tanh sin cos log_softmax log_sigmoid hard_tanh relu6".split())
UNSTABLE = frozenset("softmax sigmoid exp".split())  # their logarithms have functions of their own
JOINING = frozenset({"append", "concatenate", "hstack", "vstack", "stack"})
INEXACT = frozenset("exp log sqrt sin cos tan tanh arctan sigmoid softmax mean std var log1p expm1 softplus erf".split())
DTYPE_PLACES = {"astype": 1, "zeros": 1, "ones": 1, "empty": 1, "full": 2, "asarray": 1, "array": 1}
SAME = frozenset("sum prod cumsum max min reshape ravel flatten squeeze transpose flip roll sort abs".split())
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Pow)
KEEPING = frozenset(
    "abs sum prod cumsum cumprod max min sort flip roll reshape ravel squeeze expand_dims broadcast_to tile repeat concatenate stack".split()
)


def dtype_name(value: Traced | None) -> str:
    """The dtype that an argument names, such as "uint8"; "" if it is not known."""
    if value is None:
        return ""
    if value.kind == EXTERNAL:
        return value.name.rpartition(".")[2]
    return str(value.constant) if value.kind == TEXT and value.constant else ""


def integer_dtype(dtype: str) -> str:
    """How arrays of a dtype are called: "uint8" and "uint16", whose differences wrap around, as they are."""
    if dtype in ("uint8", "uint16"):
        return dtype
    return INTS if dtype.startswith(("int", "uint")) else ""


def strong(last: str, args: Sequence[Traced], keywords: Mapping[str, Traced]) -> str:
    """The dtype of the result of a function of `jax.numpy` or `jax.random`, or of a method of an array; "" if it is not known."""
    place = DTYPE_PLACES.get(last, len(args))
    given = keywords.get("dtype", args[place] if place < len(args) else None)
    if given is not None and given.kind != NONE:
        name = dtype_name(given)
        return name.rstrip("_") if name in TYPES or name in ("int", "float", "bool") else ""
    if last in TYPES:
        return last
    if last in ("zeros", "ones", "empty", "linspace", "normal", "uniform", "truncated_normal", "gumbel"):
        return "float"
    if last in COUNTING or last == "randint":
        return "int"
    if last in INEXACT:
        return "inexact"
    if last == "where" and len(args) == 3 and all(number_type(each) == "float" for each in args[1:]):
        return "inexact"
    return args[0].dtype if last in SAME and args and args[0].dtype != "bool" else ""


def operated_dtype(operator: ast.operator, left: Traced, right: Traced) -> str:
    """The dtype of what an operator gives for arrays and numbers."""
    kinds = category(left), category(right)
    if isinstance(operator, ast.Div) or ("inexact" in kinds and isinstance(operator, ARITHMETIC)):
        exact = [each.dtype for each in (left, right) if each.kind == ARRAY and category(each) != "int"]
        numbers = any(each.kind == NUMBER for each in (left, right))
        same = (numbers or left.dtype == right.dtype) and len({*exact}) == 1 and "bool" not in exact and "complex" not in kinds
        return exact[0] or "inexact" if same else "inexact"
    if kinds == ("int", "int") and isinstance(operator, (*ARITHMETIC, ast.FloorDiv, ast.Mod)):
        arrays = {each.dtype for each in (left, right) if each.kind == ARRAY}
        return arrays.pop() if len(arrays) == 1 else ""
    return ""


def described(value: Traced, last: str, node: ast.Call, args: Sequence[Traced], keywords: Mapping[str, Traced]) -> Traced:
    """The result of a function of `jax.numpy`, or of a method of an array, whose object is the first argument."""
    if value.kind == ARRAY:
        value = value._replace(dtype=strong(last, args, keywords))
    return counted(value, last, node, args, keywords)


def counted(value: Traced, last: str, node: ast.Call, args: Sequence[Traced], keywords: Mapping[str, Traced]) -> Traced:
    """The same, with what is known of its numbers."""
    if value.kind != ARRAY or value.name:
        return value
    if args and args[0].what == OWN and (last in ("square", "abs") or (last == "sum" and (len(args) > 1 or "axis" in keywords))):
        return value._replace(what=OWN)
    if last in JOINING and (whole := [each.identity for each in joined_arrays(last, args) if each.identity is not None]):
        return value._replace(what=Joined(tuple(whole)))
    if last in UNSTABLE and args and args[0].constant is None:
        return value._replace(what=None if last == "exp" and args[0].what == SHIFTED else last)
    if last in BOUNDED:
        return value._replace(what=SHIFTED)
    if last == "sum" and args and args[0].what == "exp":
        return value._replace(what="sum of exp")
    dtype = dtype_name(keywords.get("dtype"))
    if last == "astype" and len(args) > 1:
        return value._replace(name=integer_dtype(dtype_name(args[1])))
    if last == "arange":
        return arange(value, dtype, node, args)
    if last == "linspace" and not dtype:
        return value._replace(name=ROUNDED)
    if dtype:
        return value._replace(name=integer_dtype(dtype), what=None)
    if last in ("array", "asarray") and args and (numbers := integers(args[0])):
        return value._replace(name=COUNT if min(numbers) >= 0 else INTS)
    if last in COUNTING:
        return value._replace(name=COUNT)
    if last == "randint":
        return value._replace(name=INTS)
    if last == "mean" and args and set(keywords) <= {"axis", "keepdims"}:
        return value._replace(what=mean_of(node))
    if last == "sum" and args and set(keywords) <= {"axis", "keepdims"} and value.what is None:
        value = value._replace(what=mean_of(node)._replace(total=True))
    if last == "square" and args and isinstance(args[0].what, Mean) and not args[0].what.total:
        return value._replace(what=args[0].what._replace(squared=True))
    if last == "square" and args and isinstance(args[0].what, Arange):
        return value._replace(name=args[0].name, what=args[0].what.raised(2))
    if last in KEEPING and args and args[0].kind == ARRAY and args[0].name in INTEGERS:
        return value._replace(name=INTS if last not in ("max", "min", "sort", "reshape", "ravel") else args[0].name)
    return value


def joined_arrays(last: str, args: Sequence[Traced]) -> Sequence[Traced]:
    """The arrays that a function joins, if there are several."""
    given = args[:2] if last == "append" else (args[0].items or ()) if args else ()
    return given if len(given) > 1 else ()


def arange(value: Traced, dtype: str, node: ast.Call, args: Sequence[Traced]) -> Traced:
    whole = all(number_type(each) == "int" or is_length(syntax) for each, syntax in zip(args, node.args, strict=False))
    if len(args) == 3 and number_type(args[2]) == "float" and not dtype:
        return value._replace(name=ROUNDED)
    if not args or (dtype and not integer_dtype(dtype)) or not whole:
        return value
    numbers = [each.constant for each in args]
    known = (
        Arange(*numbers)
        if all(type(number) is int for number in numbers) and 0 not in numbers[2:] and dtype in ("", "int32")
        else None
    )
    positive = len(numbers) == 1 or (isinstance(numbers[0], int) and numbers[0] >= 0 and len(numbers) == 2)
    return value._replace(name=COUNT if positive else INTS, what=known)


def is_length(node: ast.expr) -> bool:
    """Whether an expression is `len(x)`, `x.size`, or `x.shape[i]`."""
    match node:
        case ast.Call(func=ast.Name(id="len")) | ast.Attribute(attr="size" | "ndim"):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
    return False


def mean_of(node: ast.Call) -> Mean:
    """What a mean is of: `x` with its power, in the words of the code."""
    method = isinstance(node.func, ast.Attribute) and not node.args
    subject = node.func.value if method and isinstance(node.func, ast.Attribute) else node.args[0] if node.args else node
    rest = [ast.dump(each) for each in (*node.args[0 if method else 1 :], *(keyword.value for keyword in node.keywords))]
    match subject:
        case ast.BinOp(left=inner, op=ast.Pow(), right=ast.Constant(value=2)):
            return Mean(ast.dump(inner), tuple(rest), power=2)
        case ast.BinOp(left=inner, op=ast.Mult(), right=other) if ast.dump(inner) == ast.dump(other):
            return Mean(ast.dump(inner), tuple(rest), power=2)
        case ast.Call(func=ast.Attribute(attr="square"), args=[inner]):
            return Mean(ast.dump(inner), tuple(rest), power=2)
    return Mean(ast.dump(subject), tuple(rest))


def operated(operator: ast.operator, left: Traced, right: Traced, result: Traced) -> Traced:
    """The result of an operator, with what is known of its dtype and its numbers."""
    if result.kind == ARRAY and not result.dtype:
        result = result._replace(dtype=operated_dtype(operator, left, right))
    scaled = isinstance(operator, ast.Mult | ast.Div) and SHIFTED in (left.what, right.what)
    if (scaled or isinstance(operator, ast.Sub)) and result.kind in (ARRAY, TREE, UNKNOWN) and result.what is None:
        result = result._replace(what=SHIFTED)
    if left.what == OWN and (
        (isinstance(operator, ast.Pow) and right.constant == 2) or (isinstance(operator, ast.Mult) and right.what == OWN)
    ):
        result = result._replace(what=OWN)
    if result.kind != ARRAY or result.name:
        return result
    if isinstance(left.what, Arange) and (power := power_of(operator, left, right)):
        return result._replace(name=left.name, what=left.what.raised(power))
    if isinstance(left.what, Mean) and left.what.total and isinstance(operator, ast.Div) and right.kind not in (ARRAY, TREE):
        return result._replace(what=left.what._replace(rest=(*left.what.rest, repr(right.constant)), total=False))
    if isinstance(left.what, Mean) and left.what.power == 1 and not left.what.squared and not left.what.total:
        squares = isinstance(operator, ast.Pow) and right.constant == 2
        if squares or (isinstance(operator, ast.Mult) and right.what == left.what):
            return result._replace(what=left.what._replace(squared=True))
    names = {number_type(each) if each.kind == NUMBER else each.name for each in (left, right)}
    if FLOATS & names or not names <= INTEGERS or isinstance(operator, ast.Div | ast.Pow):
        return result
    for name in ("uint8", "uint16"):
        if name in names and names <= {name, "int"}:
            return result._replace(name=name)
    positive = all(each.name == COUNT or (isinstance(each.constant, int) and each.constant >= 0) for each in (left, right))
    return result._replace(name=COUNT if positive and isinstance(operator, ast.Add | ast.Mult | ast.FloorDiv | ast.Mod) else INTS)


def power_of(operator: ast.operator, left: Traced, right: Traced) -> int:
    """The power of an array that an operator gives: `x * x`, `x**2`; 0 for another result."""
    if isinstance(operator, ast.Mult) and right.what == left.what and right.kind == left.kind:
        return 2
    known = isinstance(operator, ast.Pow) and type(right.constant) is int and right.constant > 1
    return right.constant if known else 0
