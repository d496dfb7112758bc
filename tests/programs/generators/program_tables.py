"""The fragments of generated programs, by rank and by category of dtype."""

Shape = tuple[int, ...]
VECTORS: tuple[Shape, ...] = ((3,), (4,), (2,))
GRIDS: tuple[Shape, ...] = ((2, 3), (3, 3), (3, 4))
CATEGORIES = ("float", "float", "float", "int", "bool", "complex")


def _options(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|"))


VIEWS = {
    1: _options(
        "[:] | [1:] | [:-1] | [::2] | [::-1] | [...] | .reshape(-1) | .ravel() | .T | [None] | .real | .squeeze() | .view()"
    ),
    2: _options(
        "[0] | [-1] | [:, 1] | [1:] | [:, ::-1] | [::2, 1:] | .T | .reshape(-1) | .ravel() | [..., 0] | .swapaxes(0, 1) | "
        "[0, :] | .transpose()"
    ),
}
MAYBE_VIEWS = _options(
    "np.asarray({}) | {}.astype({}, copy=False) | np.array({}, copy=None) | np.asarray({}, dtype={}) | np.atleast_1d({}) | "
    "np.ascontiguousarray({}) | np.ravel({}) | np.transpose({})"
)
COPIES = _options("{}.copy() | np.array({}) | np.copy({}) | np.array({}, copy=True) | {0}.flatten().reshape({0}.shape) | +{}")
INDICES = {
    1: _options("[0] | [-1] | [1:] | [:] | [::2] | [[0, 1]] | [np.array([0, 1, 0])] | [...] | [-2:] | [1:-1] | [[0, -1]]"),
    2: _options(
        "[0] | [1, 0] | [:, 0] | [0, 1:] | [-1, -1] | [[0, 1]] | [1:, :2] | [0][1] | [1:][0] | [:, [0, 1]] | "
        "[np.array([0, 0]), np.array([1, 1])] | [..., 1]"
    ),
}
DTYPES = {
    "float": _options("float | np.float64 | np.float32"),
    "int": _options("int | np.int64 | np.int32"),
    "bool": ("bool",),
    "complex": ("complex", "np.complex128"),
}
LITERALS = {
    "float": _options("2.0 | 0.5 | -1.5 | 3"),
    "int": _options("2 | 3 | -1"),
    "bool": ("True", "False"),
    "complex": _options("2.0 | 1j | 3"),
}
UPDATES = {
    "float": ("+=", "-=", "*=", "/=", "**="),
    "int": ("+=", "-=", "*=", "//=", "%=", "|="),
    "bool": ("|=", "&=", "^="),
    "complex": ("+=", "-=", "*="),
}
ELEMENTWISE = {"float": ("+", "-", "*"), "int": ("+", "-", "*", "&"), "bool": ("|", "&", "^"), "complex": ("+", "-", "*")}
UNARY = {
    "float": _options(
        "np.sin({}) | np.sqrt(np.abs({})) | -{} | np.maximum({}, 0.5) | np.where({0} > 0, {0}, 1.0) | np.sort({}) | "
        "np.clip({}, -1, 2)"
    ),
    "int": _options("np.abs({}) | -{} | np.maximum({}, 1) | np.where({0} > 0, {0}, 1) | np.sort({})"),
    "bool": _options("~{} | np.logical_not({})"),
    "complex": _options("np.conj({}) | -{} | {} * 1j"),
}
DATA = {
    "float": _options("1.0 | -2.0 | 0.5 | 3.0 | 0.0 | -0.25 | 7.0 | np.nan | np.inf"),
    "int": _options("1 | -2 | 0 | 3 | 5 | 2"),
    "bool": ("True", "False"),
    "complex": _options("1 + 2j | -1.5 | 0.5j | 2.0"),
}
STORED = {"float": ("float", "int"), "int": ("int", "float", "bool"), "bool": ("bool",), "complex": ("complex", "float")}
NUMBERS_DRAWN = {
    "float": _options("normal() | uniform(-1, 2) | random() | exponential(2.0) | normal(1.0, 0.5)"),
    "int": _options("INTEGERS(5) | INTEGERS(1, 4) | poisson(3.0)"),
}
ARRAYS_DRAWN = {
    "float": _options(
        "normal(size={0}) | normal(1.0, 0.5, {0}) | uniform(-1, 2, {0}) | standard_normal({0}) | random({0}) | "
        "exponential(2.0, size={0}) | gamma(2.0, 1.5, {0}) | laplace(size={0})"
    ),
    "int": _options("INTEGERS(0, 5, {0}) | INTEGERS(4, size={0}) | poisson(2.0, {0}) | binomial(5, 0.3, {0})"),
}
