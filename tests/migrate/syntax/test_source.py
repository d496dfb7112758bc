import ast
import codecs
import importlib.util
import pickle
import sys
import threading
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from np2jax.migrate.syntax.source import MAX_DEPTH, SourceError, child_fields, children, deep, parse, walk
from np2jax.tests.helpers.deep_trees import deepest

EVERY_SYNTAX = (Path(__file__).parents[2] / "data" / "every_syntax.txt").read_bytes()


def error(data):
    with pytest.raises(SourceError) as raised:
        parse("dir/a.py", "a", False, data)
    return str(raised.value)


def installed_files(*packages, most=1000):
    found = []
    for package in packages:
        origin = importlib.util.find_spec(package).origin
        found += sorted(Path(origin).parent.rglob("*.py"))[:most]
    return found


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"x = 1",
        b"# only a comment",
        b"x = 1\r\nif x:\r\n    y = 2\r\n",
        b"x = 1\r\ny = 2\n",
        b"if x:\n\ty = 1\n\tif z:\n\t\tw\n",
        codecs.BOM_UTF8 + b"x = 1\n",
        codecs.BOM_UTF8 + b"# coding: utf-8\nx = '\xc3\xa9'\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n",
        "# coding: shift_jis\nx = 'あ'\n".encode("shift_jis"),
        b"x = 1\n\x0c\ndef f():\n    pass\n",
        b"x = 1 + \\\n  2  # why\n\n\n",
        "x = '\u2028 \x85'\n".encode(),
        b"def f():\n    x = 1\n        # deeper comment\n# shallower comment\n    return x\n",
        b"x = 1  \t \n   \n",
        EVERY_SYNTAX,
    ],
)
def test_bytes_survive(data):
    source = parse("a.py", "a", False, data)
    assert source.module.bytes == data
    assert source.text == data.decode(source.module.encoding)
    assert not source.text.startswith("\ufeff")


def test_names():
    source = parse("pkg/mod.py", "pkg.mod", False, b"x = 1\n")
    assert (source.path, source.name, source.package) == ("pkg/mod.py", "pkg.mod", "pkg")
    assert parse("pkg/sub/__init__.py", "pkg.sub", True, b"").package == "pkg.sub"
    assert parse("script.py", "script", False, b"").package == ""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x = 1\nx = (1,\ny = 2\n", "dir/a.py:2: syntax error: '(' was never closed"),
        (b"def f():\n    x\n  y\n", "dir/a.py:3: syntax error: unindent does not match any outer indentation level"),
        (b"x = 1\nx = 5 5\n", "dir/a.py:2: syntax error: invalid syntax"),
        (b"if x:\n        a\n\tb\n", "dir/a.py:3: syntax error: inconsistent use of tabs and spaces in indentation"),
        (b"x = 1\n\x00", "dir/a.py:2: contains a null byte"),
        ("x = 1\n".encode("utf-16"), "dir/a.py:1: contains a null byte"),
        (b"x = 1\ny = '\xe9'\n", "dir/a.py:2: is not valid UTF-8; save it as UTF-8 or declare its encoding in the first line"),
        (b"# coding: utf-8\n\ny = '\xe9'\n", "dir/a.py:3: is not valid UTF-8"),
        (b"# coding: nonsense\nx\n", "dir/a.py:1: unknown encoding: nonsense"),
        (b"\x0cx = 1\n", "dir/a.py:1: a form feed or a lone carriage return would be lost"),
        (b"x = 1\ry = 2\r", "dir/a.py:1: a form feed or a lone carriage return would be lost"),
    ],
)
def test_unreadable_files_are_refused_with_one_line(data, message):
    said = error(data)
    assert said.startswith(message)
    assert "\n" not in said


@pytest.mark.parametrize(
    "line",
    ["print 'a'", "print x", "exec 'a'", "raise A, 'x'", "a <> b", "x = `a`", "x = 0777", "x = ur'a'"],
)
def test_python_2_is_named(line):
    assert error(f"import a\n{line}\n".encode()).startswith("dir/a.py:2: Python 2 code cannot be converted")


def test_python_3_with_an_error_is_not_called_python_2():
    assert "Python 2" not in error(b"print('a'\n")
    assert "Python 2" not in error(b"raise ValueError('a', 'b'\n")
    assert "Python 2" not in error(b"print (x\n")
    assert "Python 2" not in error(b"x = '`a` <> 007' 5  # print 'a'\n")


def test_errors_cross_processes():
    said = pickle.loads(pickle.dumps(SourceError("a.py", 3, "why")))
    assert (said.path, said.line, said.message, str(said)) == ("a.py", 3, "why", "a.py:3: why")
    assert str(SourceError("a.py", 0, "why")) == "a.py: why"


def test_syntax_newer_than_the_running_python_is_read():
    assert parse("a.py", "a", False, b"type X[T] = list[T]\ndef f[T](x: T) -> T: return t'{x}'\n")


def test_walk_goes_parents_first_in_the_order_of_the_source():
    source = parse("a.py", "a", False, EVERY_SYNTAX)
    positions = MetadataWrapper(source.module, unsafe_skip_copy=True).resolve(PositionProvider)
    seen = set()
    last = (0, 0)
    for node, parent in walk(source.module):
        assert parent is None or parent in seen
        seen.add(node)
        start = (positions[node].start.line, positions[node].start.column)
        if not isinstance(node, (cst.FunctionDef, cst.ClassDef)):  # LibCST gives the position of `def`, not of the decorators
            assert start >= last, (node, start, last)
            last = start
    assert list(source.parents.items()) == list(walk(source.module))


def test_walk_reaches_all_code():
    class All(cst.CSTVisitor):
        def __init__(self):
            self.nodes = set()

        def on_visit(self, node):
            self.nodes.add(node)
            return True

    every = All()
    source = parse("a.py", "a", False, EVERY_SYNTAX)
    source.module.visit(every)
    missed = {type(node) for node in every.nodes - source.parents.keys()}
    tokens = {
        *(cst.Colon, cst.Comma, cst.Dot, cst.Semicolon, cst.AssignEqual, cst.Asynchronous, cst.BitOr, cst.ParamSlash),
        *(cst.LeftParen, cst.RightParen, cst.LeftSquareBracket, cst.RightSquareBracket, cst.LeftCurlyBrace, cst.RightCurlyBrace),
    }
    operators = (
        cst.BaseBinaryOp,
        cst.BaseUnaryOp,
        cst.BaseBooleanOp,
        cst.BaseCompOp,
        cst.BaseAugOp,
        cst.BaseParenthesizableWhitespace,
    )
    space = (cst.Comment, cst.EmptyLine, cst.Newline, cst.TrailingWhitespace)
    assert {kind for kind in missed if not issubclass(kind, (*operators, *space))} <= tokens
    assert source.parents.keys() <= every.nodes


def test_children_and_fields():
    statement = cst.parse_statement("def f(a=1) -> int: pass")
    assert child_fields(cst.FunctionDef)[:3] == ("decorators", "name", "type_parameters")
    assert [type(child).__name__ for child in children(statement)] == ["Name", "Parameters", "Annotation", "SimpleStatementSuite"]
    assert child_fields(cst.Name) == ()


def test_no_node_occurs_twice():
    for path in installed_files("click", "libcst", most=30):
        source = parse(str(path), "a", False, path.read_bytes())
        assert sum(1 for _ in walk(source.module)) == len(source.parents)


def chain(kind, n):
    return {
        "sum": "x = " + "+".join(["a"] * n),
        "or": "x = " + " or ".join(["a"] * n),
        "attribute": "x = a" + ".b" * n,
        "power": "x = " + "**".join(["a"] * n),
        "not": "x = " + "not " * n + "a",
        "strings": "x = (" + "'a' " * n + ")",
        "elif": "if a:\n  pass\n" + "elif b:\n  pass\n" * n,
    }[kind]


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", ["sum", "or", "attribute", "power", "not", "strings", "elif"])
def test_deep_trees_are_read_visited_and_written(kind):
    data = f"{chain(kind, deepest())}\n".encode()
    source = parse("a.py", "a", False, data)
    limit = sys.getrecursionlimit()
    assert deep(getattr, source.module, "bytes") == data
    assert deep(source.module.visit, cst.CSTTransformer()).deep_equals is not None
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("kind", ["or", "elif"])
def test_too_deep_trees_are_refused(kind):
    said = error(f"# comment\nx = 1\n\n{chain(kind, MAX_DEPTH + 100)}\n".encode())
    assert said.startswith(f"dir/a.py:4: nested more than {MAX_DEPTH} levels deep")


def test_nested_brackets_do_not_end_the_process():
    assert parse("a.py", "a", False, b"x = " + b"(" * 3000 + b"1" + b")" * 3000 + b"\n").module.body


def test_without_room_for_a_deep_stack_ordinary_files_are_read(monkeypatch):
    def start(thread):
        raise RuntimeError("can't start new thread")

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    monkeypatch.setattr(threading.Thread, "start", start)
    assert parse("a.py", "a", False, b"x = 1\n").module.body
    assert (sys.getrecursionlimit(), threading.stack_size()) == (limit, size)


def test_deep_hands_errors_on():
    def recurse(n):
        return recurse(n - 1) if n else 1 / 0

    with pytest.raises(ZeroDivisionError):
        deep(recurse, 5000)


@pytest.mark.slow
def test_installed_packages_survive():
    for path in installed_files("numpy", "click", "hypothesis", "scipy", most=60):
        data = path.read_bytes()
        try:
            source = parse(str(path), "a", False, data)
        except SourceError as raised:
            with pytest.raises(SyntaxError):
                ast.parse(data)
            assert raised.line > 0
            continue
        assert source.module.bytes == data


@pytest.mark.slow
def test_fifty_thousand_lines():
    text = "def f_{0}(x):\n    y = x + {0}\n    if y:\n        y = f_{0}(y)\n    return y\n"
    source = parse("a.py", "a", False, "".join(text.format(i) for i in range(10_000)).encode())
    assert len(source.module.body) == 10_000


@pytest.mark.parametrize("data", [b"x = (1)\n", b"x = (\n"])
def test_nodes_are_checked_again_after_a_file_was_parsed(data):
    try:
        parse("a.py", "a", False, data)
    except SourceError:
        assert data == b"x = (\n"
    with pytest.raises(cst.CSTValidationError):
        cst.Name("")
