"""One parsed file: its syntax tree, the parent of every node, and a fast walk that skips white space and comments."""

from __future__ import annotations

import ast
import re
import sys
import threading
import tokenize
import warnings
from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from io import BytesIO
from itertools import pairwise
from operator import attrgetter
from typing import ParamSpec, TypeVar

import libcst as cst

P = ParamSpec("P")
T = TypeVar("T")

# Children that are tokens, not code: white space, punctuation, operators. Their owner says all there is to say about them.
TOKENS = frozenset(
    "asynchronous body_separator colon comma conversion dot end equal first_colon footer header indent lbrace lbracket "
    "leading_lines lines_after_decorators lpar lines operator posonly_ind rbrace rbracket relative rpar second_colon "
    "semicolon separator start star trailing_comma trailing_whitespace encoding default_indent default_newline "
    "has_trailing_newline".split()
)

# LibCST lists some fields in another order than the source has them.
SOURCE_ORDER: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.ClassDef: ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    cst.ExceptHandler: ("type", "name", "body"),
    cst.ExceptStarHandler: ("type", "name", "body"),
    cst.FunctionDef: ("decorators", "name", "type_parameters", "params", "returns", "body"),
    cst.IfExp: ("body", "test", "orelse"),
    cst.Arg: ("keyword", "value"),
    cst.MatchCase: ("pattern", "guard", "body"),
    cst.Parameters: ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
    cst.TypeAlias: ("name", "type_parameters", "value"),
}

LEAVES = (
    cst.BaseNumber,
    cst.Ellipsis,
    cst.FormattedStringText,
    cst.ImportStar,
    cst.Name,
    cst.SimpleString,
    cst.TemplatedStringText,
)


def _kinds(above: type[cst.CSTNode]) -> Iterator[type[cst.CSTNode]]:
    yield above
    for kind in above.__subclasses__():
        yield from _kinds(kind)


NODES = frozenset(_kinds(cst.CSTNode))  # type: ignore[type-abstract]
EXPRESSIONS = frozenset(_kinds(cst.BaseExpression))  # type: ignore[type-abstract]
COMPOUND = frozenset(_kinds(cst.BaseCompoundStatement))  # type: ignore[type-abstract]
STATEMENTS = COMPOUND | {cst.SimpleStatementLine}
SUITES = STATEMENTS | {cst.SimpleStatementSuite}  # what holds small statements, too


class _Plain(ABCMeta):
    """Of LibCST's classes: `isinstance` goes by inheritance alone, as nothing is registered with them, in a tenth of the time."""

    __instancecheck__ = type.__instancecheck__


for (
    _kind
) in NODES:  # `match` asks `isinstance` for every case, and nodes are keys of most tables: both are done millions of times
    _kind.__class__ = _Plain  # type: ignore[assignment]
    setattr(_kind, "__hash__", object.__hash__)  # noqa: B010  # by identity as LibCST's own, which is Python's and slow

DEEP_STACK = 512 << 20  # bytes; only touched pages cost memory
DEEP_RECURSION = 100_000  # frames
_thread = threading.local()  # `deep` where the thread is one with a deep stack
MAX_DEPTH = 3_000  # levels of the tree; Python 3.12 and 3.13 give C, which LibCST passes through, no more than some 4,000
# What Python 2 has and Python 3 has not; tried only on a line that does not parse.
PYTHON_2 = re.compile(
    r"""^\s*(print|exec)\s+["'\w%] | ^\s*raise\s+[\w.]+\s*, | ^\s*except\s.+,\s*\w+\s*: | <> | ` | \bur["'] | \b\d+[lL]\b
    | ^\s*def\s+\w+\s*\(\s*(\w+\s*,\s*)*\(\s*\w+\s*,""",
    re.VERBOSE,
)
OLD_EXCEPT = re.compile(r"^\s*except\s[^:(]*,", re.MULTILINE)
PORT = "Python 2 code cannot be converted; port it to Python 3 first ({})"
STRING_OR_COMMENT = re.compile(r"""(["']).*?\1|\#.*""")


class SourceError(Exception):
    """A file that cannot be read as Python: `path`, `line` (from 1; 0 when no line is to blame) and a one-line `message`."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}" if self.line else f"{self.path}: {self.message}"


@cache
def child_fields(node_type: type[cst.CSTNode]) -> tuple[str, ...]:
    """The fields of a node type that hold code, in the order of the source."""
    if issubclass(node_type, LEAVES):
        return ()
    if node_type in SOURCE_ORDER:
        return SOURCE_ORDER[node_type]
    return tuple(f.name for f in fields(node_type) if f.name not in TOKENS and "whitespace" not in f.name)


@cache
def _reader(node_type: type[cst.CSTNode]) -> Callable[[cst.CSTNode], tuple[object, ...]] | None:
    """What fetches the values of the child fields, last first, in one call; None for a leaf."""
    names = child_fields(node_type)[::-1]
    if len(names) == 1:
        get = attrgetter(names[0])
        return lambda node: (get(node),)
    return attrgetter(*names) if names else None


def walk(root: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode | None]]:
    """Yield (node, parent) for `root` and all code below it, parents first, in source order. The parent of `root` is None."""
    stack: list[tuple[cst.CSTNode, cst.CSTNode | None]] = [(root, None)]
    pop, push = stack.pop, stack.append
    readers: dict[type[cst.CSTNode], Callable[[cst.CSTNode], tuple[object, ...]] | None] = {}
    while stack:
        item = pop()
        yield item
        node = item[0]
        kind = type(node)
        try:
            read = readers[kind]
        except KeyError:
            read = readers[kind] = _reader(kind)
        if read is None:
            continue
        for value in read(node):
            held = value.__class__
            if held is tuple or held is list:
                for child in reversed(value):  # type: ignore[call-overload]
                    push((child, node))
            elif held in NODES:
                push((value, node))  # type: ignore[arg-type]


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly below `node`, in source order."""
    found: list[cst.CSTNode] = []
    read = _reader(type(node))
    for value in () if read is None else reversed(read(node)):
        held = value.__class__
        if held is tuple or held is list:
            found.extend(value)  # type: ignore[arg-type]
        elif held in NODES:
            found.append(value)  # type: ignore[arg-type]
    return found


def deep(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a pure function that recurses over a tree; when Python's limit stops it, call it again with room for any real file.

    LibCST's visitors and its code generator recurse, three to six frames for a level: `a + b + ...` with 300 terms is
    too deep for them in an ordinary interpreter. `parse` refuses what would be too deep here as well.
    """
    try:
        return function(*args, **kwargs)
    except RecursionError:
        return on_deep_stack(function, *args, **kwargs)


def on_deep_stack(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function with room for any real file. A stack takes a millisecond to make: make one for many files."""
    if getattr(_thread, "deep", False):
        return function(*args, **kwargs)
    results: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        _thread.deep = True
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call)
    limit, size = sys.getrecursionlimit(), threading.stack_size(DEEP_STACK)
    sys.setrecursionlimit(DEEP_RECURSION)
    try:
        thread.start()
    except RuntimeError:  # the system has no room for such a stack, which hardly any file needs
        return function(*args, **kwargs)
    else:
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One parsed file.

    `name`: dotted module name, "pkg.mod", or "pkg" for the `__init__` of a package. `package`: what relative imports start
    from. `text`: the decoded file, without a byte order mark. `parents`: every node of `module` that `walk` visits, parents
    first and in source order, with its parent.
    """

    path: str
    name: str
    package: str
    text: str
    module: cst.Module
    parents: dict[cst.CSTNode, cst.CSTNode | None]
    siblings: Mapping[str, str] = field(default_factory=dict)  # names under which scripts import modules beside them

    def inside(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        """Whether a node is another one, or stands in it."""
        at: cst.CSTNode | None = node
        while at is not None and at is not outer:
            at = self.parents.get(at)
        return at is not None

    def absolute(self, name: str) -> str:
        """The project's name for what is imported as `name`."""
        top, dot, rest = name.partition(".")
        return f"{self.siblings[top]}{dot}{rest}" if top in self.siblings else name


def parse(path: str, name: str, is_package: bool, data: bytes, siblings: Mapping[str, str] | None = None) -> Source:
    """Parse a file such that `module.bytes == data`.

    Raises:
        SourceError: it is not Python 3, cannot be decoded, or would not come out as it went in.
    """
    text = _decode(path, data)
    try:
        module = on_deep_stack(cst.parse_module, data)  # LibCST's parser ends the process when the stack is full
    except cst.ParserSyntaxError as error:
        raise _syntax_error(path, text, error) from None
    if OLD_EXCEPT.search(text):  # LibCST takes it for the `except A, B:` of Python 3.14
        try:
            ast.parse(data)
        except SyntaxError as error:
            raise SourceError(path, error.lineno or 1, PORT.format(error.msg)) from None
    if (b"\f" in data or re.search(rb"\r(?!\n)", data)) and deep(getattr, module, "bytes") != data:
        raise SourceError(path, 1, "a form feed or a lone carriage return would be lost; remove it")
    parents = dict(walk(module))
    _check_depth(path, module, parents)
    return Source(path, name, name if is_package else name.rpartition(".")[0], text, module, parents, siblings or {})


def _check_depth(path: str, module: cst.Module, parents: dict[cst.CSTNode, cst.CSTNode | None]) -> None:
    starts = [i for i, parent in enumerate(parents.values()) if parent is module]
    if all(after - before < MAX_DEPTH - 1 for before, after in pairwise([*starts, len(parents)])):
        return  # no statement has as many nodes as that
    depths: dict[cst.CSTNode | None, int] = {None: 0}
    for node, parent in parents.items():
        depths[node] = depths[parent] + 1
    if max(depths.values()) <= MAX_DEPTH:
        return
    deepest: cst.CSTNode = max(parents, key=depths.__getitem__)
    while (above := parents[deepest]) is not module and above is not None:
        deepest = above
    before = [*module.header, *module.body[: module.body.index(deepest)]]
    leading = len(deepest.leading_lines)  # type: ignore[attr-defined]
    line = sum(deep(module.code_for_node, node).count("\n") for node in before) + leading + 1
    raise SourceError(
        path, line, f"nested more than {MAX_DEPTH} levels deep (a chain of operators or `elif` counts one for each)"
    )


def _decode(path: str, data: bytes) -> str:
    if (at := data.find(b"\0")) >= 0:
        raise SourceError(path, data.count(b"\n", 0, at) + 1, "contains a null byte; save it as UTF-8")
    encoding, problem = "utf-8", ""
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
    except SyntaxError as error:
        problem = str(error)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        how = "save it as UTF-8 or declare its encoding in the first line"
        raise SourceError(path, line, f"is not valid {encoding.upper()}; {how}") from None
    if problem:
        raise SourceError(path, 1, problem)
    return text


def _syntax_error(path: str, text: str, error: cst.ParserSyntaxError) -> SourceError:
    """Python's own parser says better than LibCST's what is wrong and where, unless the file is newer than this Python."""
    line, message = _blamed_line(error), "LibCST cannot parse it"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as found:
        line, message = found.lineno or line, found.msg
    except (ValueError, RecursionError, MemoryError):
        pass  # Python cannot say either; LibCST's line stands
    lines = text.splitlines()
    blamed = lines[line - 1] if 0 < line <= len(lines) else ""
    if "leading zeros" in message or PYTHON_2.search(STRING_OR_COMMENT.sub('""', blamed)):
        return SourceError(path, line, PORT.format(message))
    return SourceError(path, line, f"syntax error: {message}")


def _blamed_line(error: cst.ParserSyntaxError) -> int:
    if found := re.search(r"error at (\d+):", error.message):
        return int(found[1])
    return error.raw_line
