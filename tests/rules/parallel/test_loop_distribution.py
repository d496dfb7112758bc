"""Loops whose iterations do several things: all iterations do one after the other, where no iteration needs another one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from np2jax.tests.helpers.differential import check_agrees, convert
from np2jax.tests.helpers.drawn_programs import check_few, check_many

A = np.array([[3.0, -1.5, 0.0], [0.25, -4.0, 7.0], [1.0, 2.0, -2.0], [0.5, 0.0, 9.0]])
B = np.array([[1.0, 2.0, -3.0], [0.0, 1.0, 5.0], [4.0, -1.0, 0.5], [2.0, 2.0, 2.0]])
LOOPS = ("fori_loop", "scan", "while_loop", "for i in")


def text_of(lines, start="out = np.zeros(n)", result="return out"):
    inner = "".join(f"        {line}\n" for line in lines.split("\n"))
    head = "import numpy as np\n\n\ndef f(a: np.ndarray, b: np.ndarray):\n    n, m = a.shape\n"
    return f"{head}    {start}\n    for i in range(n):\n{inner}    {result}\n"


IN_PARALLEL = {
    "set, then added": "out[i] = b[i, 0]\nfor j in range(m):\n    out[i] += a[i, j] * b[i, j]",
    "added, then divided": "for j in range(m):\n    out[i] += a[i, j]\nout[i] /= m",
    "added, then a root": "for j in range(m):\n    out[i] += a[i, j] ** 2\nout[i] = np.sqrt(out[i])",
    "two sums": "for j in range(m):\n    out[i] += a[i, j]\nfor j in range(m):\n    out[i] -= b[i, j]",
    "a branch": "for j in range(m):\n    out[i] += a[i, j]\nif out[i] > 0:\n    out[i] = 1\nelse:\n    out[i] *= 2",
    "two stores to one place": "out[i] = a[i, 0]\nout[i] *= b[i, 1]",
    "read after it is stored": "out[i] = a[i, 0]\na[i, 1] = out[i] * 2",
    "read before": "a[i, 1] = out[i] + 1\nout[i] = 5",
    "a variable": "t = a[i, 0] * 2\nout[i] = t\nfor j in range(m):\n    out[i] += a[i, j]",
    "rows": "for j in range(m):\n    a[i, j] = b[i, j] * 2\na[i, 0] = 1\nout[i] = a[i, 1]",
    "the index": "out[i] = i\nfor j in range(m):\n    out[i] += i * j",
    "items of a row": "for j in range(1, m):\n    a[i, j] = b[i, j - 1]\nfor j in range(m):\n    a[i, j] += 1",
}
ONE_BY_ONE = {
    "the next one": "out[i] = a[i, 0]\nfor j in range(m):\n    out[i - 1] += a[i, j]",
    "the one before": "out[i] += a[i, 0]\nif i > 0:\n    out[i] += out[i - 1]",
    "what a later turn stores": "a[i, 0] = b[i, 0]\nif i + 1 < n:\n    b[i + 1, 0] = 7",
    "another row": "for j in range(m):\n    a[i, j] = b[i, j]\nb[0, 0] = a[i, 0]",
    "a column": "out[i] = a[:, 0].sum()\nfor j in range(m):\n    a[i, j] = 2",
    "a number that turns need": "out[i] = a[0, 0]\na[0, 0] += b[i, 0]",
    "what another turn reads": "out[i] = a[n - 1 - i, 0]\na[i, 0] = b[i, 0]",
    "of a row, one after the other": "a[i, 0] = 1\nfor j in range(1, m):\n    a[i, j] = a[i, j - 1] * 2",
}


def calls():
    special = np.array([[np.nan, np.inf, 1.0], [-np.inf, -0.0, 2.0]])
    pairs = [(A, B), (B, A), (special, B[:2]), (A[:1], B[:1]), (A.astype(np.float32), B.astype(np.float32))]
    return [(a.copy(), b.copy()) for a, b in pairs]


@pytest.mark.quick(5)
@pytest.mark.parametrize("name", IN_PARALLEL)
def test_at_once(name):
    text = check_agrees(text_of(IN_PARALLEL[name], result="return out, a, b"), *calls(), (A[:0], B[:0]))
    assert not any(word in text for word in LOOPS), text


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", IN_PARALLEL)
@pytest.mark.parametrize(
    "start", ["out = np.zeros(n, dtype=int)", "out = np.ones(n, dtype=np.float32)", "out = np.empty(n)\n    out[:] = 3"]
)
def test_dtypes(name, start):
    if name == "added, then divided" and "int" in start:
        return  # NumPy raises
    whole = [(np.rint(A).astype(int), np.rint(B).astype(int))]
    check_agrees(
        text_of(IN_PARALLEL[name], start, "return out, a, b"), *whole, *([] if "int" in start else calls()[:1]), keep=True
    )


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_one_by_one(name):
    text = check_agrees(text_of(ONE_BY_ONE[name], result="return out, a, b"), *calls()[:2], keep=True)
    assert any(word in text for word in LOOPS), text


def test_products_of_matrices():
    text = check_agrees(
        """
        import numpy as np

        def f(A: np.ndarray, B: np.ndarray):
            C = np.empty((A.shape[0], B.shape[1]))
            # every item
            for i in range(A.shape[0]):
                for j in range(B.shape[1]):
                    C[i, j] = 0  # starts
                    # adds up
                    for k in range(A.shape[1]):
                        C[i, j] += A[i, k] * B[k, j]
            return C
        """,
        (A, B.T.copy()),
        (A[:1], B.T[:, :1].copy()),
        (A[:, :0], B.T[:0].copy()),
    )
    assert "@ B" in text and not any(word in text for word in LOOPS)
    assert all(comment in text for comment in ("# every item", "# starts", "# adds up"))


def test_distances():
    text = check_agrees(
        """
        import numpy as np

        def f(X: np.ndarray, Y: np.ndarray):
            D = np.zeros((X.shape[0], Y.shape[0]))
            for i in range(X.shape[0]):
                for j in range(Y.shape[0]):
                    for k in range(X.shape[1]):
                        D[i, j] += (X[i, k] - Y[j, k]) ** 2
                    D[i, j] = np.sqrt(D[i, j])
            return D
        """,
        (A, B),
        (A, B[:1]),
    )
    assert not any(word in text for word in LOOPS)


def test_a_comment_stays_where_a_part_starts():
    text, *_ = convert(text_of("# first\nout[i] = i\n# then\nfor j in range(m):\n    # each\n    out[i] += a[i, j]"))
    assert text.index("# first") < text.index("# then") < text.index("# each")


PLACES = ["out[i]", "a[i, 0]", "a[i, m - 1]", "b[i, 1]", "out[i]", "out[n - 1 - i]", "out[0]"]
INNER = ["a[i, j]", "b[i, j]", "out[i]", "a[i, 0]", "b[j % n, j]"]
VALUES = ["a[i, 0]", "b[i, 1] * 2", "out[i] + 1", "i", "0.5", "np.sin(a[i, 1])", "out[n - 1 - i]", "a[i, m - 1]"]
INNER_VALUES = ["a[i, j]", "b[i, j] * a[i, j]", "1", "out[i]", "j", "b[i, j] - out[i]"]
LINES = st.one_of(
    st.builds("{} {} {}".format, st.sampled_from(PLACES), st.sampled_from(["=", "=", "+=", "*="]), st.sampled_from(VALUES)),
    st.builds("if {} > 0:\n    {} = {}".format, st.sampled_from(VALUES), st.sampled_from(PLACES), st.sampled_from(VALUES)),
    st.builds(
        "for j in range(m):\n    {} {} {}".format,
        st.sampled_from(INNER),
        st.sampled_from(["=", "+=", "+=", "-="]),
        st.sampled_from(INNER_VALUES),
    ),
)


DRAWN = given(st.lists(LINES, min_size=2, max_size=3))


def agrees(lines):
    text = text_of("\n".join(lines), result="return out, a, b")
    check_agrees(text, (A.copy(), B.copy()), (A[:1].copy(), B[:1].copy()), keep=True)


def test_drawn_iterations():
    check_few(DRAWN(agrees))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(6))
def test_many_drawn_iterations(start):
    check_many(DRAWN(agrees), start)
