"""One parsed file: its syntax tree, the order of its nodes and the parent of each."""

from __future__ import annotations

import ast
import re
import sys
import threading
import tokenize
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import pairwise
from typing import ParamSpec, TypeVar

import libcst as cst

from ...rules.syntax.tree import COMPOUND, EXPRESSIONS, NODES, STATEMENTS, SUITES, child_fields, children, walk
from .long_displays import parsed_in_parts

__all__ = [
    "COMPOUND",
    "EXPRESSIONS",
    "MAX_DEPTH",
    "NODES",
    "STATEMENTS",
    "SUITES",
    "Source",
    "SourceError",
    "child_fields",
    "children",
    "deep",
    "on_deep_stack",
    "parse",
    "parse_fragment",
    "walk",
    "with_module",
]

P = ParamSpec("P")
T = TypeVar("T")
Node = TypeVar("Node", bound=cst.CSTNode)

DEEP_STACK = 512 << 20  # bytes; only touched pages cost memory
DEEP_RECURSION = 100_000  # frames
_thread = threading.local()  # `deep` is set in threads with a deep stack
MAX_DEPTH = 3_000  # levels of the tree; Python 3.12 and 3.13 limit C recursion, which LibCST uses, to some 4,000
CHECKED = cst.CSTNode.__post_init__
# Syntax of Python 2 that Python 3 does not have; tested only on a line that does not parse.
PYTHON_2 = re.compile(
    r"""^\s*(print|exec)\s+["'\w%] | ^\s*raise\s+[\w.]+\s*, | ^\s*except\s.+,\s*\w+\s*: | <> | ` | \bur["'] | \b\d+[lL]\b
    | ^\s*def\s+\w+\s*\(\s*(\w+\s*,\s*)*\(\s*\w+\s*,""",
    re.VERBOSE,
)
EXCEPT = "Python 2 code, or Python 3.14: `except A, B:` is `except (A, B):` in all versions of Python 3"
OLD_EXCEPT = re.compile(r"^\s*except\s[^:(]*,", re.MULTILINE)
PORT = "Python 2 code cannot be converted; port it to Python 3 first ({})"
STRING_OR_COMMENT = re.compile(r"""(["']).*?\1|\#.*""")


class SourceError(Exception):
    """A file that cannot be read as Python: `path`, `line` (from 1; 0 if no line is at fault) and a one-line `message`."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}" if self.line else f"{self.path}: {self.message}"


def deep(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a pure function that recurses over a tree; if it exceeds Python's limit, call it again on a deep stack.

    LibCST's visitors and its code generator recurse with three to six frames per level: `a + b + ...` with 300 terms exceeds
    Python's default limit. `parse` refuses files that would be too deep here as well.
    """
    try:
        return function(*args, **kwargs)
    except RecursionError:
        return on_deep_stack(function, *args, **kwargs)


def on_deep_stack(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function with a stack for any real file. Creating the stack takes a millisecond: create one for many files."""
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
    except RuntimeError:  # the system cannot allocate such a stack, which hardly any file needs
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

    `name`: dotted module name, "pkg.mod", or "pkg" for the `__init__` of a package. `package`: the base of relative
    imports. `text`: the decoded file, without a byte order mark. `parents`: every node of `module` that `walk` visits, parents
    first and in source order, with its parent.
    """

    path: str
    name: str
    package: str
    text: str
    module: cst.Module
    parents: dict[cst.CSTNode, cst.CSTNode | None]
    siblings: Mapping[str, str] = field(default_factory=dict)  # names under which scripts import modules in the same folder
    nodes: Sequence[cst.CSTNode] = ()  # those of `parents`
    spans: Mapping[cst.CSTNode, tuple[int, int]] = field(
        default_factory=dict
    )  # the range in `nodes` of each node and its subtree

    def below(self, node: cst.CSTNode) -> Sequence[cst.CSTNode]:
        """A node and its subtree, in the order of `walk`; without a walk if the node is in the file."""
        span = self.spans.get(node)
        return [inner for inner, _parent in walk(node)] if span is None else self.nodes[span[0] : span[1]]

    def among(self, node: cst.CSTNode, *kinds: type[Node]) -> list[Node]:
        """The nodes of some types in `below`: matching patterns takes longer, as LibCST's classes are abstract."""
        return [inner for inner in self.below(node) if type(inner) in kinds]  # type: ignore[misc]  # mypy needs `isinstance`

    def inside(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        """Whether a node of the file is `outer`, or in its subtree."""
        (start, end), position = self.spans[outer], self.spans.get(node)
        return position is not None and start <= position[0] < end

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes that enclose a node, the innermost first."""
        at = self.parents[node]
        while at is not None:
            yield at
            at = self.parents[at]

    def in_loop(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        """Whether a `for` or `while` statement in `outer` encloses a node."""
        return any(isinstance(at, (cst.For, cst.While)) and self.inside(at, outer) for at in self.above(node))

    def is_label(self, node: cst.CSTNode) -> bool:
        """Whether a name is that of an attribute or of a keyword argument, and no variable."""
        parent = self.parents[node]
        return (isinstance(parent, cst.Attribute) and parent.attr is node) or (
            isinstance(parent, cst.Arg) and parent.keyword is node
        )

    def other_arms(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """The arms of `if` statements that do not run where a node does, up to the enclosing loop or function."""
        found: list[cst.CSTNode] = []
        for inner, outer in pairwise((node, *self.above(node))):
            if isinstance(outer, (cst.For, cst.While, cst.FunctionDef, cst.Lambda)):
                return found
            if isinstance(outer, cst.If) and outer.orelse is not None and inner in (outer.body, outer.orelse):
                found.append(outer.orelse if inner is outer.body else outer.body)
        return found

    def topmost(self, node: cst.CSTNode) -> cst.CSTNode:
        """The top-level statement of the module that contains a node."""
        return [node, *self.above(node)][-2]

    def absolute(self, name: str) -> str:
        """The project's name for a module that is imported as `name`."""
        top, dot, rest = name.partition(".")
        return f"{self.siblings[top]}{dot}{rest}" if top in self.siblings else name


def parse(path: str, name: str, is_package: bool, data: bytes, siblings: Mapping[str, str] | None = None) -> Source:
    """Parse a file such that `module.bytes == data`.

    Raises:
        SourceError: it is not Python 3, cannot be decoded, or would not come out as it went in.
    """
    text = _decode(path, data)
    try:
        module = on_deep_stack(parsed_in_parts, data, _tree)  # LibCST's parser kills the process on a stack overflow
    except cst.ParserSyntaxError as error:
        raise _syntax_error(path, text, error) from None
    if OLD_EXCEPT.search(text):  # LibCST parses it as the `except A, B:` of Python 3.14
        try:
            ast.parse(data)
        except SyntaxError as error:
            raise SourceError(path, error.lineno or 1, EXCEPT) from None
    if (b"\f" in data or re.search(rb"\r(?!\n)", data)) and deep(getattr, module, "bytes") != data:
        raise SourceError(path, 1, "a form feed or a lone carriage return would be lost; remove it")
    parents = dict(walk(module))
    _check_depth(path, module, parents)
    package = name if is_package else name.rpartition(".")[0]
    return Source(path, name, package, text, module, parents, siblings or {}, list(parents), _spans(parents))


def new_statements(module: cst.Module, known: Container[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The statements and blocks of a module that are not among the `known` nodes of the original file, outermost first."""
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        if node not in known:
            yield node
            stack += (child for child in children(node) if not isinstance(child, cst.BaseExpression))


def parse_fragment(source: Source, text: str) -> Sequence[cst.SimpleStatementLine | cst.BaseCompoundStatement]:
    """Parse a text from the top level of a file; its statements, with the comments above them."""
    newline, indent = source.module.default_newline, source.module.default_indent
    line = f"pass{newline}"  # comments belong to the statement below them
    first = f"if 1:{newline}{indent}{line}{line}"  # LibCST infers the file's indent and newline from the first ones
    end = "" if text.endswith("\n") else newline
    return on_deep_stack(_tree, f"{first}{text}{end}{line}").body[2:-1]


def with_module(source: Source, module: cst.Module) -> Source:
    """The same file with other nodes of the same text."""
    parents = dict(walk(module))
    return replace(source, module=module, parents=parents, nodes=list(parents), spans=_spans(parents))


def _tree(data: bytes | str) -> cst.Module:
    """The result of `cst.parse_module`, in 85 % of its time.

    LibCST validates every node on creation. Nodes from its own parser are valid, and there is no other way to skip the checks
    (see the comment in `CSTNode.__post_init__`). Nodes that the rules create are validated.
    """
    setattr(cst.CSTNode, "__post_init__", _unchecked)  # noqa: B010  # mypy forbids to assign a method
    try:
        return cst.parse_module(data)
    finally:
        setattr(cst.CSTNode, "__post_init__", CHECKED)  # noqa: B010  # even while another thread parses: never leave `_unchecked`


def _unchecked(node: cst.CSTNode) -> None:
    """Replaces `CSTNode.__post_init__` while a file is parsed."""


def _spans(parents: dict[cst.CSTNode, cst.CSTNode | None]) -> dict[cst.CSTNode, tuple[int, int]]:
    """The range of each subtree in the nodes: it is contiguous, as parents come first."""
    found: dict[cst.CSTNode, tuple[int, int]] = {}
    ends: dict[cst.CSTNode | None, int] = {}  # in reverse, the last node of a subtree comes first
    start = len(parents)
    for node in reversed(parents):
        end = ends.setdefault(node, start)
        ends.setdefault(parents[node], end)
        start -= 1
        found[node] = start, end
    return found


def _check_depth(path: str, module: cst.Module, parents: dict[cst.CSTNode, cst.CSTNode | None]) -> None:
    starts = [i for i, parent in enumerate(parents.values()) if parent is module]
    if all(after - before < MAX_DEPTH - 1 for before, after in pairwise([*starts, len(parents)])):
        return  # no statement has that many nodes
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
    """The error of Python's own parser, which is more precise than LibCST's, unless the file is newer than this Python."""
    line, message = _blamed_line(error), "LibCST cannot parse it"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as found:
        line, message = found.lineno or line, found.msg
    except (ValueError, RecursionError, MemoryError):
        pass  # Python has no error either; use LibCST's line
    lines = text.splitlines()
    blamed = lines[line - 1] if 0 < line <= len(lines) else ""
    if "leading zeros" in message or PYTHON_2.search(STRING_OR_COMMENT.sub('""', blamed)):
        return SourceError(path, line, PORT.format(message))
    return SourceError(path, line, f"syntax error: {message}")


def _blamed_line(error: cst.ParserSyntaxError) -> int:
    if found := re.search(r"error at (\d+):", error.message):
        return int(found[1])
    return error.raw_line
