"""How much of a function ran: its lines and branches, by sys.settrace and by sys.monitoring."""

import ast
import sys
import textwrap

import numpy as np
import pytest

from np2jax.runtime_shim.sandbox import line_trace
from np2jax.runtime_shim.sandbox.line_trace import LineTrace
from np2jax.runtime_shim.sandbox.staging import functions
from np2jax.runtime_shim.verification.coverage import Compared, Share, measured
from np2jax.runtime_shim.verification.needed_input import needed_input

HOWS = ["_settrace", *(["_monitored"] if sys.version_info >= (3, 12) else [])]


@pytest.fixture(params=HOWS)
def extent(tmp_path, request):
    """What calls of `f` reach of a text: the lines, the branches, and the lines that were not reached."""

    def run(text, *calls):
        path = tmp_path / "code.py"
        path.write_text(textwrap.dedent(text).strip() + "\n")
        scope = {"__name__": "code"}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        line_trace._FILES.clear()
        seen = set()
        for arguments in calls:
            trace = LineTrace(lambda name: "code.py" if name == str(path) else "", tmp_path, np.zeros(0), (), False)
            with getattr(line_trace, request.param)(trace):
                scope["f"](*arguments)
            seen |= set(trace.features)
        each = {"code.py": [node for _, node in functions(ast.parse(path.read_text()))]}
        found = measured(Share(1, 1), each, each, (seen, seen))
        assert found.converted == found.lines
        return str(found.lines), str(found.branches), found.unreached.get("code.py", ())

    return run


ONE_BRANCH = """
def f(x):
    '''Not a line.'''
    if x > 1:
        x = 1
    return x
"""


def test_a_branch_has_two_sides(extent):
    assert extent(ONE_BRANCH, (0,)) == ("2 of 3", "1 of 2", (4,))
    assert extent(ONE_BRANCH, (2,)) == ("3 of 3", "1 of 2", ())
    assert extent(ONE_BRANCH, (0,), (2,)) == ("3 of 3", "2 of 2", ())
    assert extent(ONE_BRANCH) == ("0 of 3", "0 of 2", ())


def test_a_branch_at_the_end(extent):
    text = "def f(x):\n    y = 1\n    if x:\n        y = 2\n"
    assert extent(text, (0,)) == ("2 of 3", "1 of 2", (4,))
    assert extent(text, (0,), (1,)) == ("3 of 3", "2 of 2", ())


def test_loops_run_and_end(extent):
    text = """
    def f(n):
        s = 0
        for i in range(n):
            s += i
        while s > 3:
            s -= 1
        else:
            s = 0
        return s
    """
    assert extent(text, (0,)) == ("5 of 7", "2 of 4", (4, 6))
    assert extent(text, (9,)) == ("7 of 7", "4 of 4", ())


def test_a_loop_that_only_break_ends(extent):
    text = """
    def f(n):
        while True:
            n -= 1
            if n < 0:
                break
        return n
    """
    assert extent(text, (3,)) == ("5 of 5", "2 of 2", ())


def test_statements_on_several_lines(extent):
    text = """
    def f(x):
        y: int
        z = abs(
            x
        )
        if (
            x > 1
            and z > 2
        ):
            return (
                z
            )
        try:
            return min(
                x,
                z)
        except TypeError:
            return 0
    """
    assert extent(text, (5,)) == ("3 of 5", "1 of 2", (14, 18))
    assert extent(text, (0,)) == ("3 of 5", "1 of 2", (10, 18))


def test_nested_functions_decorators_and_matches(extent):
    text = """
    import functools

    def f(x):
        @functools.cache
        def g(v):
            return v + 1
        with open(__import__("os").devnull):
            pass
        match x:
            case 1:
                return g(x)
            case _:
                return 0
    """
    assert extent(text, (1,)) == ("6 of 7", "0 of 0", (13,))


def test_a_long_loop_does_not_hide_what_follows(extent):
    text = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
    assert extent(text, (30_000,)) == ("4 of 4", "2 of 2", ())


def test_what_is_on_one_line_has_no_branches(extent):
    assert extent("def f(x):\n    if x: return 1\n    return 0\n", (1,)) == ("1 of 2", "0 of 0", (3,))


def test_the_share():
    assert Compared(Share(1, 2), Share(3, 4), Share(0, 2)).share == 50.0
    assert Compared().share == 100.0  # code without functions: whole programs were compared
    assert "0 of 3 lines" in str(Compared(Share(0, 2), Share(0, 3)))


NEEDED = {
    "def f(g, x): return g(x)": "`g` (a function) and `x`",
    "def f(gas): return gas.find(gas.pairs).sum()": "`gas` (an object with `find` and `pairs`)",
    "def f(x): return x.sum() + x.shape[0]": "`x`",
    "def f(p): return p['w'] @ p['b'] + p['w']": "`p` (a dict with 'w' and 'b')",
    "def f(model: 'Model', n=3): return model": "`model` (Model)",
    "def f(x): return known(x)": "`x` (array float64)",
    "def f(a, b, c, d, e): return 0": "`a`, `b`, `c`, `d` and 1 more",
}


def needed(text, owner="", kinds=None):
    source = ast.parse(text).body[0]
    known = source.args.args
    params = [
        {
            "name": arg.arg,
            "kind": "POSITIONAL_OR_KEYWORD",
            "annotation": ast.unparse(arg.annotation).strip("'") if arg.annotation else "",
            "default": len(known) - number <= len(source.args.defaults),
        }
        for number, arg in enumerate(known)
    ]
    return needed_input(source, params, kinds or {}, owner)


@pytest.mark.parametrize("text", NEEDED)
def test_what_a_call_needs(text):
    assert needed(text, kinds={"x": "array:float64"} if "known" in text else {}).startswith(
        f"it needs a call with {NEEDED[text]}: record one with `np2jax record"
    )


def test_what_a_method_needs():
    assert "it needs a call with an instance of C and `x`: " in needed("def m(self, x): return x", "C")
    assert "it needs a call with an instance of C: " in needed("def m(self): return 0", "C")
    assert "it needs a call: " in needed("def f(): return 0")
