"""`continue`: the iteration goes on for the others, so that all iterations can be taken at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from np2jax.tests.helpers.differential import check_agrees, convert
from np2jax.tests.helpers.drawn_programs import check_few, check_many

X = np.array([3.0, -1.5, 0.0, 0.25, -4.0, 7.0])
Y = np.array([0.0, 2.0, -3.0, 0.0, 1.0, 5.0])
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1.0, -1.0])
LOOPS = ("fori_loop", "scan", "while_loop", "for i in")


def text_of(lines, head="for i in range(len(x)):", start="out = np.zeros(len(x))\n    s = 0.0\n    n = 0"):
    inner = "".join(f"        {line}\n" for line in lines.split("\n"))
    return (
        f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    {start}\n    {head}\n{inner}    return out, s, n, y\n"
    )


IN_PARALLEL = {
    "a store": "if x[i] < 0:\n    continue\nout[i] = np.sqrt(x[i])",
    "a sum": "if np.isnan(x[i]):\n    continue\ns += x[i] * y[i]",
    "two": "if x[i] < 0:\n    continue\nif y[i] == 0:\n    continue\ns += x[i] / y[i]\nn += 1",
    "a store before": "if x[i] < 0:\n    out[i] = 1.0\n    continue\nout[i] = x[i]",
    "the other side": "if x[i] > 0:\n    out[i] = 2.0\nelse:\n    continue\ns += x[i]",
    "elif": "if x[i] < -1:\n    continue\nelif x[i] < 1:\n    out[i] = 5\n    continue\nout[i] = x[i]",
    "not": "if not x[i] > 0:\n    continue\nout[i] = 1 + y[i]",
    "or": "if x[i] == 0 or y[i] == 0:\n    continue\nout[i] = y[i] / x[i]",
    "in a branch": "if x[i] > 0:\n    if y[i] > 1:\n        continue\n    out[i] = y[i]\nelse:\n    out[i] = 3",
    "at the end": "out[i] = x[i] + 1\nif x[i] > 0:\n    continue",
    "the index": "if i == 2:\n    continue\nout[i] = x[i]",
    "its remainder": "if i % 2 != 0 and i > 1:\n    continue\ns += x[i]",
}
ONE_BY_ONE = {
    "what follows stands on two sides": "if x[i] > 0:\n    if y[i] > 1:\n        continue\n    out[i] = y[i]\nout[i] += s\ns += 1",
    "what was added up": "if x[i] < 0:\n    continue\ns += x[i]\nout[i] = s",
    "the loop ends, too": "if x[i] < 0:\n    continue\nif x[i] == 0:\n    break\ns += x[i]",
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("name", IN_PARALLEL)
def test_all_iterations_at_once(name):
    calls = [(X, Y), (Y, X), (SPECIAL, X), (X[:1], Y[:1]), (X[:0], Y[:0]), (X.astype(np.float32), Y.astype(np.float32))]
    text = check_agrees(text_of(IN_PARALLEL[name]), *[(a.copy(), b.copy()) for a, b in calls])
    assert not any(word in text for word in LOOPS), text


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_one_by_one(name):
    text = check_agrees(text_of(ONE_BY_ONE[name]), (X.copy(), Y.copy()), (SPECIAL.copy(), X.copy()))
    assert any(word in text for word in LOOPS), text


def test_what_is_skipped_in_a_loop_of_python():
    lines = "for d in (-1, 0, 1):\n    if d == 0 and i != 1:\n        continue\n    out[i] += x[(i + d) % len(x)]"
    assert "if d != 0 or i == 1:" not in check_agrees(text_of(lines), (X.copy(), Y.copy()))  # `i` is JAX's
    lines = "for d in (-1, 0, 1):\n    if d == 0:\n        continue\n    out[i] += x[(i + d) % len(x)]"
    assert "if d != 0:" in check_agrees(text_of(lines), (X.copy(), Y.copy()))


def test_a_loop_that_stays_is_not_rewritten():
    made, _functions, _diagnostics = convert(text_of('if i == 2:\n    continue\nprint(f"{x[i]}")\ns += x[i]'))
    assert "            continue" in made


def test_comments_stay():
    lines = "# nothing to see\nif x[i] < 0:\n    continue\n# the root\nout[i] = np.sqrt(x[i])"
    text = check_agrees(text_of(lines), (X.copy(), Y.copy()))
    assert "# nothing to see" in text and "# the root" in text


def iterations():
    tests = st.sampled_from(["x[i] > 0", "y[i] < 1", "not y[i]", "i % 3 == 1", "x[i] == y[i]", "x[i] < y[i] or i == 0"])
    plain = st.sampled_from(
        ["out[i] += x[i]", "s += y[i]", "n += 1", "t = x[i] * 2\nout[i] = t", "y[i] = 1.5", "s -= x[i] * y[i]"]
    )
    indent = "\n    "

    def branch(parts):
        test, body, ends, other = parts
        lines = f"if {test}:{indent}{indent.join(body.splitlines())}" + (f"{indent}continue" if ends else "")
        return lines + (f"\nelse:{indent}{indent.join(other.splitlines())}" if other else "")

    one = st.tuples(tests, plain, st.booleans(), st.one_of(st.just(""), plain)).map(branch)
    inner = st.tuples(tests, one, st.booleans(), st.one_of(st.just(""), one)).map(branch)
    return st.lists(st.one_of(plain, one, one, inner), min_size=1, max_size=4).map("\n".join)


def compared(lines):
    check_agrees(text_of(lines), (X.copy(), Y.copy()), (SPECIAL.copy(), X.copy()), (X[:1].copy(), Y[:1].copy()), keep=True)


def test_drawn_iterations():
    check_few(given(iterations())(compared))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(4))
def test_many_drawn_iterations(start):
    check_many(given(iterations())(compared), start)
