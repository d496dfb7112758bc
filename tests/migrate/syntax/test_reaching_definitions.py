"""Reaching definitions against executions: every value seen before a statement was given by a definition that reaches it, and no other."""

import random
import sys

import libcst as cst
import pytest

from np2jax.migrate.syntax.reaching_definitions import ReachingDefinitions, definitions_of

NAMES = ("x", "y")
DECISIONS = 9


class Writer:
    """A function at random: all tests, and the trip count, are decided from outside; every assignment has a value of its own."""

    def __init__(self, pick, exceptions):
        self.pick, self.exceptions = pick, exceptions
        self.lines = ["def f(x):"]
        self.room = 7

    def block(self, indent, in_loop):
        for _ in range(1 + self.pick(3)):
            self.statement("    " * indent, indent, in_loop)
        self.lines += ["    " * indent + "e()", "    " * indent + "pass"]

    def statement(self, margin, indent, in_loop):
        self.room -= 1
        simple = ["assign"] * 4 + ["read", "walrus", "del"] + ["break", "continue"] * in_loop + ["return"]
        simple += ["raise"] * self.exceptions
        compound = ["if", "else", "elif", "while", "for", "match"] + ["try", "finally", "with", "handler"] * self.exceptions
        kinds = simple + compound * 2 if self.room > 0 and indent < 4 else simple
        name, value = NAMES[self.pick(2)], 100 + len(self.lines)
        body = indent + 1
        match kinds[self.pick(len(kinds))]:
            case "assign":
                self.lines.append(f"{margin}{name} = {value}")
            case "walrus":
                self.lines.append(f"{margin}c() and ({name} := {value})")
            case "del":
                self.lines += [f"{margin}{name} = {value}", f"{margin}del {name}"]
            case "read":
                self.lines.append(f"{margin}e()")
            case "break" | "continue" | "return" as jump:
                self.lines += [f"{margin}if c():", f"{margin}    {jump}"]
            case "raise":
                self.lines += [f"{margin}if c():", f"{margin}    raise ValueError"]
            case "if":
                self.lines.append(f"{margin}if c():")
                self.block(body, in_loop)
            case "else":
                self.lines.append(f"{margin}if c():")
                self.block(body, in_loop)
                self.lines.append(f"{margin}else:")
                self.block(body, in_loop)
            case "elif":
                self.lines.append(f"{margin}if c():")
                self.block(body, in_loop)
                self.lines.append(f"{margin}elif c():")
                self.block(body, in_loop)
            case "while" | "for" as loop:
                self.lines.append(f"{margin}while c():" if loop == "while" else f"{margin}for {name} in n({value}):")
                self.block(body, True)
                if self.pick(3) == 0:
                    self.lines.append(f"{margin}else:")
                    self.block(body, in_loop)
            case "match":
                self.lines.append(f"{margin}match m({value + 1}):")
                self.lines.append(f"{margin}    case [{name}] if c():")
                self.block(body + 1, in_loop)
                self.lines.append(f"{margin}    case _:")
                self.block(body + 1, in_loop)
            case "with":
                self.lines.append(f"{margin}with suppress(ValueError):")
                self.block(body, in_loop)
            case "handler" | "try" | "finally" as kind:
                self.lines.append(f"{margin}try:")
                self.block(body, in_loop)
                if kind != "finally":
                    self.lines.append(f"{margin}except ValueError" + (f" as {name}:" if kind == "handler" else ":"))
                    self.block(body, in_loop)
                if kind != "handler":
                    self.lines.append(f"{margin}finally:")
                    self.block(body, False)


class Suppress:
    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        return kind is ValueError


def executed(text):
    """The values of the variables before each line, in all executions of a few decisions."""
    code = compile(text, "<program>", "exec")
    seen, decisions = {}, []

    def decide():
        decisions.append(decisions_of[len(decisions)] if len(decisions) < len(decisions_of) else False)
        return decisions[-1]

    def iterations(value):
        while decide():
            yield value

    def trace(frame, event, _argument):
        if frame.f_code.co_name != "f" or frame.f_code.co_filename != "<program>":
            return None
        if event == "line":
            for name in NAMES:
                seen.setdefault((frame.f_lineno, name), set()).add(frame.f_locals.get(name))
        return trace

    space = {
        "c": decide,
        "e": int,
        "n": iterations,
        "m": lambda value: [value] if decide() else 0,
        "suppress": lambda _kind: Suppress(),
    }
    exec(code, space)
    stack = [()]
    before = sys.gettrace()
    while stack:
        decisions_of = stack.pop()
        decisions.clear()
        sys.settrace(trace)
        try:
            space["f"](0)
        except (ValueError, UnboundLocalError):
            pass
        finally:
            sys.settrace(before)
        stack += [(*decisions[:k], True) for k in range(len(decisions_of), min(len(decisions), DECISIONS))]
    return seen


def check(text, exact):
    module = cst.metadata.MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    at = {node: p.start.line for node, p in module.resolve(cst.metadata.PositionProvider).items()}
    function = module.module.body[0]
    found = ReachingDefinitions(function)
    seen = executed(text)
    for node, line in at.items():
        ends = isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Pass)
        if (
            isinstance(node, cst.SimpleStatementLine | cst.If) and not ends
        ):  # where Python says that it is, too, when it leaves `finally`
            for name in NAMES:
                values = seen.get((line, name), set())
                reaching = found.reaching(node, name)
                expected = {("unbound" if name == "y" else 0) if d is function else made_by(d, at[d]) for d in reaching}
                observed = {defined_at(value, expected) for value in values}
                handled = any(isinstance(d, cst.ExceptHandler) for d in reaching)  # and deleted at the end
                assert observed - ({"unbound"} if handled else set()) <= expected, (text, line, name)
                if exact:
                    assert expected == observed, (text, line, name)
                if found.is_bound(node, name):
                    assert None not in values and 0 not in values
                if found.only(node, name) is not None and not handled:
                    assert len(values) <= 1


def made_by(definition, line):
    return "unbound" if isinstance(definition, cst.Del) else line


def defined_at(value, expected):
    """The line of the definition that gave a value."""
    if isinstance(value, ValueError):
        return next((line for line in expected), "nowhere")
    return "unbound" if value is None else value - 99 if value else 0


@pytest.mark.parametrize("seed", range(60))
def test_exactly_what_may_happen(seed):
    check(program(seed, exceptions=False), exact=True)


@pytest.mark.quick(6)
@pytest.mark.parametrize("seed", range(0, 300, 20))
def test_with_exceptions(seed):
    for each in range(seed, seed + 20):
        check(program(each, exceptions=True), exact=False)


def program(seed, exceptions):
    writer = Writer(random.Random(seed).randrange, exceptions)
    writer.block(1, False)
    return "\n".join(writer.lines) + "\n"


def statements(text):
    function = cst.parse_module(text).body[0]
    return function, function.body.body


def test_what_nested_functions_bind_is_not_known():
    function, body = statements(
        "def f():\n    x = y = 1\n    def g():\n        nonlocal x\n        x = 2\n    g()\n    return x + y\n"
    )
    assert definitions_of(function).reaching(body[-1], "x") is None
    assert definitions_of(function).only(body[-1], "y") is body[0].body[0]
    assert definitions_of(function) is definitions_of(function)


def test_arguments_and_other_names():
    function, body = statements("def f(a):\n    while True:\n        b = a\n    c = b\n")
    assert definitions_of(function).only(body[0], "a") is function
    assert definitions_of(function).only(body[0], "elsewhere") is function
    assert definitions_of(function).reaching(body[1], "b") == frozenset()
    assert not definitions_of(function).is_bound(body[1], "b") and not definitions_of(function).is_bound(body[0], "a")


def test_code_that_may_bind_any_name():
    function, body = statements("def f(a):\n    b = 1\n    exec(a)\n    return b\n")
    assert definitions_of(function).reaching(body[-1], "b") is None


def test_where_statements_end():
    text = "def f(c):\n    if c:\n        x = y = 1\n    elif d:\n        x = 2\n    else:\n        x = 3\n        return x\n"
    function, (branch,) = statements(text)
    after = definitions_of(function).is_bound_after
    assert after(branch, "x") and after(branch.orelse, "x") and not after(branch, "y")
    assert not after(branch.orelse.orelse.body.body[-1], "x")  # it never ends
