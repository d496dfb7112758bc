import textwrap
import time

import libcst as cst
import pytest

from np2jax.migrate.syntax.liveness import falls_through, live, pattern_names, uses
from np2jax.migrate.syntax.names import collect


def function(body, header="def f(a, b, c):"):
    module = cst.parse_module(f"{header}\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n")
    return module.body[0]


def lines(owner):
    """(first line of the statement, the statement), for all statements of `owner`, in source order."""
    found = []
    stack = [owner.body]
    while stack:
        node = stack.pop()
        if isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            found.append((cst.Module([]).code_for_node(node).strip().split("\n")[0].strip(), node))
        if not isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            stack += reversed(node.children)
    return found


def before_and_after(body, *, only=frozenset("xyzabcij"), header="def f(a, b, c):"):
    """Statement -> "names before -> names after", of one letter."""
    owner = function(body, header)
    flow = live(owner)
    return {
        text: f"{''.join(sorted(flow.before[node] & only))} -> {''.join(sorted(flow.after[node] & only))}"
        for text, node in lines(owner)
    }


@pytest.mark.parametrize(
    ("code", "read", "bound"),
    [
        ("x = y + z.a", "yz", "x"),
        ("x, (y, *z) = a", "a", "xyz"),
        ("[x, y] = a", "a", "xy"),
        ("x = y = a", "a", "xy"),
        ("x[i] = a", "xia", ""),
        ("x.y = a", "xa", ""),
        ("x[i].y[j] = a", "xija", ""),
        ("x, y[i] = a", "yia", "x"),
        ("x += a", "xa", "x"),
        ("x[i] += a", "xia", ""),
        ("x.y += a", "xa", ""),
        ("x: int", "", ""),
        ("x: a = b", "ab", "x"),
        ("x[i]: a", "xia", ""),
        ("del x", "x", "x"),
        ("del x, y[i], z.a", "xyiz", "x"),
        ("del (x, [y])", "xy", "xy"),
        ("import x, y.z, a as b", "", "xyb"),
        ("from x.y import z, a as b", "", "zb"),
        ("from x import *", "", ""),
        ("return x", "x", ""),
        ("raise x from y", "xy", ""),
        ("assert x, y", "xy", ""),
        ("global x", "", ""),
        ("f(x, y=z, *a, **b)", "fxzab", ""),
        ("print(x := y)", "y", "x"),
        ("(x := x + 1)", "x", "x"),
        ("f'{x!r:{y}} {z=}'", "xyz", ""),
        ("x if y else z", "xyz", ""),
        ("x[y:z, ::a]", "xyza", ""),
        ("[x for x in y if z]", "yz", ""),
        ("[x for x in x]", "x", ""),
        ("[x for y in z for x in y]", "z", ""),
        ("[x for y in z for a in x for x in a]", "z", ""),
        ("[(y := x) for x in a]", "a", "y"),
        ("{x: y for x in a}", "ay", ""),
        ("{x for x in a if b}", "ab", ""),
        ("(x for x in a if b)", "ab", ""),
        ("[lambda: x for x in a]", "a", ""),
        ("lambda x, y=z: x + a", "za", ""),
        ("lambda *x, **y: (x, y, z)", "z", ""),
        ("lambda: (x := y)", "y", ""),
        ("await x", "x", ""),
        ("x = yield y", "y", "x"),
    ],
)
def test_names_of_small_statements(code, read, bound):
    statement = cst.parse_module(f"async def f():\n    {code}\n").body[0].body.body[0]
    found = uses(statement)
    assert (found[0] - {"print", "int"}, found[1]) == (set(read), set(bound))


@pytest.mark.parametrize(
    ("code", "read", "bound"),
    [
        ("if x: y = z\nelse: a", "xza", "y"),
        ("for x in y: z = x\nelse: a = b", "yxb", "xza"),
        ("for x[i] in y: pass", "xiy", ""),
        ("for i, (j, *x) in y: pass", "y", "ijx"),
        ("while x: break", "x", ""),
        ("with x as y, a as (b, z[i]): pass", "xazi", "yb"),
        ("try: x\nexcept y as z: a = 1\nfinally: b", "xyb", "za"),
        ("match x:\n  case [y, *z] if y: pass\n  case {'k': a, **b}: pass", "xy", "yzab"),
        ("match x:\n  case y(a, z=b) as i: pass\n  case j.x: pass\n  case _: pass", "xyj", "abi"),
        ("def x(a, b=y): return a + z", "yz", "x"),
        ("@a\ndef x(i: y = 1) -> z: pass", "ayz", "x"),
        ("def x():\n  nonlocal y\n  y = 1", "y", "x"),
        ("def x():\n  def y(): return z + a\n  a = 1", "z", "x"),
        ("class x(y, z=a):\n  b = i\n  def f(self): return j", "yaij", "x"),
        ("class x:\n  y = 1\n  def f(self): return y", "y", "x"),
        ("type x = y", "y", "x"),
    ],
)
def test_names_of_compound_statements(code, read, bound):
    statement = cst.parse_module(f"{code}\n").body[0]
    assert uses(statement) == (set(read), set(bound))


def test_names_of_nothing():
    assert uses(None) == (frozenset(), frozenset())


def test_captured_and_dynamic_names():
    def said(code):
        return collect(cst.parse_module(f"{code}\n").body)

    assert said("def g(): return x\ny").captured == {"x"}
    assert said("h(lambda y: x + y)").captured == {"x"}
    assert said("z = (x + i for i in y)").captured == {"x"}
    assert said("sum(x + i for i in y)").captured == set()
    assert said("','.join(x + i for i in y)").captured == set()
    assert said("[x for i in y]").captured == set()
    assert said("[lambda: (x, i) for i in y]").captured == {"x"}
    assert said("class K:\n  z = y\n  def m(self): return x").captured == {"x"}
    assert said("global x\nx = 1").declared == {"x"}
    assert said("locals()").dynamic and said("eval(x)").dynamic and said("vars()").dynamic
    assert not said("vars(x)").dynamic and not said("x.eval()").dynamic


def test_pattern_names():
    case = cst.parse_module("match x:\n  case [a.b, K(y, k=z), {1: i, **j}] as a: pass\n").body[0].cases[0]
    assert list(pattern_names(case.pattern)) == ["a", "i", "j", "y", "z"]


def test_straight_line():
    assert before_and_after("x = a\ny = x\nx = b\nreturn x, y") == {
        "x = a": "ab -> bx",
        "y = x": "bx -> by",
        "x = b": "by -> xy",
        "return x, y": "xy -> ",
    }


def test_small_statements_of_one_line_have_their_own_sets():
    owner = function("x = a; y = x; return y")
    flow = live(owner)
    line = owner.body.body[0]
    assert [sorted(flow.before[part]) for part in line.body] == [["a"], ["x"], ["y"]]
    assert [sorted(flow.after[part]) for part in line.body] == [["x"], ["y"], []]
    assert (flow.before[line], flow.after[line]) == ({"a"}, set())


def test_a_stored_item_does_not_end_a_variable():
    assert before_and_after("x = a\nx[0] = b\nx.y = c\nreturn x") == {
        "x = a": "abc -> bcx",
        "x[0] = b": "bcx -> cx",
        "x.y = c": "cx -> x",
        "return x": "x -> ",
    }


def test_branches():
    found = before_and_after("if a:\n  x = 1\nelif b:\n  y = 2\nelse:\n  x = y\nreturn x")
    assert found["x = 1"] == " -> x"
    assert found["y = 2"] == "x -> x"
    assert found["x = y"] == "y -> x"
    assert found["if a:"] == "abxy -> x"


def test_loops():
    found = before_and_after("x = 0\nfor i in a:\n  y = x\n  x = y + i\nelse:\n  z = x\nreturn z")
    assert found["x = 0"] == "az -> axz" or found["x = 0"] == "a -> ax"
    assert found["y = x"] == "ix -> iy"
    assert found["x = y + i"] == "iy -> x"
    assert found["z = x"] == "x -> z"
    owner = function("for i in a:\n  x += i\nreturn x")
    flow = live(owner)
    loop = owner.body.body[0]
    assert (flow.head[loop], flow.before[loop]) == ({"x"}, {"a", "x"})


def test_break_and_continue():
    found = before_and_after(
        """
        while a:
            x = b
            if x:
                y = x
                break
            if c:
                continue
            b = x
        else:
            y = 0
        return y
        """
    )
    assert found["x = b"] == "abc -> abcx"
    assert found["break"] == "y -> y"
    assert found["continue"] == "abc -> abc"
    assert found["b = x"] == "acx -> abc"
    assert found["y = x"] == "x -> y"
    assert found["y = 0"] == " -> y"


def test_an_endless_loop_is_left_by_break_only():
    found = before_and_after("while True:\n  x = a\n  if x: break\nreturn x")
    assert found["while True:"] == "a -> x"
    found = before_and_after("while b:\n  x = a\n  if x: break\nreturn x")
    assert found["while b:"] == "abx -> x"


def test_with():
    found = before_and_after("with open(a) as x:\n  y = x\nreturn y")
    assert found["with open(a) as x:"] == "a -> y"
    found = before_and_after("with suppress(a):\n  y = b\nreturn y")
    assert found["with suppress(a):"] == "aby -> y"
    assert found["y = b"] == "by -> y"


def test_try():
    found = before_and_after("x = a\ntry:\n  x = b\n  y = c\nexcept E as z:\n  y = x\nreturn y")
    assert found["x = a"] == "abc -> bcx"
    assert found["x = b"] == "bcx -> cx"
    assert found["y = c"] == "cx -> xy"
    assert found["y = x"] == "x -> y"


def test_a_loop_that_raises_between_iterations():
    found = before_and_after("try:\n  for x in a: pass\nexcept E:\n  y = x")
    assert found["for x in a: pass"] == "ax -> x"


def test_walrus_need_not_happen():
    found = before_and_after("x = a\ny = b and (x := c)\nz = [(y := i) for i in x]\nreturn y, z")
    assert found["x = a"] == "abc -> bcx"
    assert found["z = [(y := i) for i in x]"] == "xy -> yz"


def test_finally():
    found = before_and_after("try:\n  x = a\n  return b\nfinally:\n  y = c\n  g(x, y)")
    assert found["x = a"] == "abcx -> bcx"
    assert found["return b"] == "bcx -> cx"
    found = before_and_after("try:\n  x = a\nfinally:\n  y = c\nreturn x")
    assert found["try:"] == "ac -> x"


def test_finally_within_a_loop():
    found = before_and_after("while a:\n  try:\n    if b: break\n    continue\n  finally:\n    x = y\n  return x\nreturn c")
    assert found["x = y"].startswith("abcy")


def test_match():
    found = before_and_after("match a:\n  case [x, y] if b:\n    z = x\n  case i:\n    z = y\nreturn z")
    assert found["match a:"] == "aby -> z"
    assert found["z = x"] == "x -> z"
    assert found["z = y"] == "y -> z"


def test_what_nested_functions_use_stays_live():
    found = before_and_after("x = a\ndef g():\n  return x\ny = g()\nx = b\nreturn y")
    assert found["y = g()"] == "bx -> bxy"
    assert found["x = b"] == "bxy -> xy"
    assert found["return y"] == "xy -> x"
    found = before_and_after("x = a\ny = [x + i for i in b]\nx = 1\nreturn y")
    assert found["y = [x + i for i in b]"] == "bx -> y"


def test_global_and_nonlocal_names_are_live_at_the_end():
    assert before_and_after("global x\nx = a\nx = b")["x = a"] == "abx -> bx"
    assert before_and_after("global x\nx = a")["x = a"] == "ax -> x"


def test_locals_reads_everything():
    assert "x" in before_and_after("x = a\nx = b\nreturn locals()")["x = a"].partition(" -> ")[2]


def test_module():
    module = cst.parse_module("x = 1\ny = x\nx = 2\ndef f(): return z\nz = y\n")
    flow = live(module)
    assert [sorted(flow.after[s] & set("fxyz")) for s in module.body] == [
        ["x", "z"],
        ["y", "z"],
        ["x", "y", "z"],
        ["f", "x", "y", "z"],
        ["f", "x", "y", "z"],
    ]


def test_lambda_has_no_statements():
    assert dict(live(cst.ensure_type(cst.parse_expression("lambda x: x"), cst.Lambda)).before) == {}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1", True),
        ("return", False),
        ("raise x", False),
        ("x; return; y", False),
        ("if x: return", True),
        ("if x: return\nelse: raise y", False),
        ("if x: return\nelif y: z\nelse: raise y", True),
        ("if x: return\nelif y: return", True),
        ("while x: return", True),
        ("while True: pass", False),
        ("while True:\n  if x: return", False),
        ("while True:\n  if x: break", True),
        ("while True:\n  for i in x: break", False),
        ("while True:\n  for i in x: pass\n  else: break", True),
        ("while 1:\n  try: f()\n  except E: break", True),
        ("while x:\n  y\nelse:\n  return", False),
        ("while x:\n  break\nelse:\n  return", True),
        ("for x in y: return", True),
        ("for x in y: pass\nelse: return", False),
        ("try: return\nexcept E: pass", True),
        ("try: return\nexcept E: raise", False),
        ("try: x\nexcept E: raise\nelse: return", False),
        ("try: x\nexcept E: raise", True),
        ("try: x\nfinally: return", False),
        ("try: return\nfinally: x", False),
        ("with x: return", False),
        ("with suppress(E): return", True),
        ("with contextlib.suppress(E): return", True),
        ("with x: y", True),
        ("match x:\n  case 1: return\n  case _: raise y", False),
        ("match x:\n  case 1: return", True),
        ("match x:\n  case 1: y\n  case z: return", True),
        ("match x:\n  case z if y: return", True),
        ("def g(): return", True),
        ("class K: pass", True),
    ],
)
def test_falls_through(body, expected):
    assert falls_through(function(body).body) is expected


def test_ten_nested_loops_are_quick():
    text = "x = 0\n" + "".join(" " * i + f"for i{i} in a{i}:\n" + " " * (i + 1) + f"x{i} = x + i{i}\n" for i in range(12))
    text += "".join(" " * 12 + f"x = x + y{j}; y{j} = x\n" for j in range(500)) + "print(x)"
    start = time.process_time()
    live(function(text))
    assert time.process_time() - start < 5  # seconds; minutes where it grows faster than the code


@pytest.mark.parametrize("where", ["body", "finally"])
def test_nested_finally_is_not_exponential(where):
    text = ""
    for depth in range(40):
        pad = " " * depth
        text += f"{pad}try:\n{pad} x = {depth}\n{pad}finally:\n" if where == "finally" else f"{pad}try:\n"
    text += " " * 40 + "x = 1\n"
    if where == "body":
        text += "".join(" " * depth + "finally:\n" + " " * (depth + 1) + "y = x\n" for depth in reversed(range(40)))
    start = time.process_time()
    live(function(text))
    assert time.process_time() - start < 5  # seconds; minutes where it grows faster than the code


def test_long_modules_are_quick():
    module = cst.parse_module("".join(f"x{i} = x{i - 1}\n" for i in range(1, 5000)))
    start = time.process_time()
    flow = live(module)
    assert len(flow.after[module.body[2500]]) > 2000
    assert time.process_time() - start < 5  # seconds; minutes where it grows faster than the code
