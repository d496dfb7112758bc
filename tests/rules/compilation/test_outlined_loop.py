"""Loops of methods, nested functions and functions that are not compiled: each moves into a function that is."""

import contextlib
import io
import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, body, check_agrees, compare_values, convert, function, run
from np2jax.tests.helpers.drawn_programs import seeds
from np2jax.tests.helpers.rule_examples import example_of
from np2jax.tests.programs.generators import outlined_programs

test_example = example_of(__name__)

X = np.array([1.0, -2.0, 0.5, np.nan, 3.0, np.inf])
ROWS = np.arange(12.0).reshape(4, 3) - 5


def check(source, *calls):
    """`f` of a file agrees with NumPy; the body of the converted text."""
    return body(check_agrees(source, *calls))


def check_stays(source, *calls):
    """`f` agrees, and no loop is moved."""
    text = check_agrees(source, *calls, keep=True)
    assert "_loop" not in text, text
    return text


def of_class(method, init="self.a, self.w, self.n = a, w, n", calls="model.run(x)", more=""):
    """A file in which `f` makes an object and calls its method `run`."""
    lines = [
        "import numpy as np",
        "class Model:",
        "    def __init__(self, a: float, w: np.ndarray, n: int):",
        textwrap.indent(textwrap.dedent(init).strip(), " " * 8),
        textwrap.indent(textwrap.dedent(method).strip(), " " * 4),
        textwrap.indent(textwrap.dedent(more).strip(), " " * 4),
        "def f(a: float, w: np.ndarray, n: int, x: np.ndarray):",
        "    model = Model(a, w, n)",
        f"    return {calls}",
    ]
    return "\n".join(lines) + "\n"


CALLS = [(0.5, ROWS[0], 3, X), (0.5, ROWS[1], 0, X[:3]), (2.0, ROWS[0], 1, X[:1])]


def test_attributes_are_given_and_what_starts_the_loop_moves_with_it():
    text = check(
        of_class(
            """
            def run(self, x: np.ndarray):
                # decays
                y = np.zeros(len(x))
                s = 0.0
                for i in range(len(x)):
                    s = self.a * s + x[i]
                    y[i] = s + self.w[0]
                return y, s
            """
        ),
        *CALLS,
    )
    assert "@jax.jit\ndef _run_loop(" in text
    assert "s, y = _run_loop(self.a, self.w, x)" in text
    assert text.index("_run_loop") < text.index("class Model")


def test_what_is_given_in_place_is_bound_again():
    text = check(
        of_class(
            """
            def run(self, x: np.ndarray):
                y = x * 2
                print(len(x))
                for i in range(1, len(x)):
                    y[i] = self.a * y[i - 1]
                return y
            """
        ),
        *CALLS,
    )
    assert "y = _run_loop(self.a, x, y)" in text


def test_attributes_that_a_loop_binds_are_bound_after_it():
    text = check(
        of_class(
            """
            def run(self, x: np.ndarray):
                w = self.w
                for i in range(self.n):
                    self.a = self.a * 0.5 + w[i]
                    self.total = self.total + x * self.a
                return self.a, self.total
            """,
            init="self.a, self.w, self.n, self.total = a, w, n, np.zeros(len(w))",
        ),
        (0.5, ROWS[0], 3, ROWS[2]),
        (0.5, ROWS[0], 0, ROWS[2]),
    )
    assert "for i in range(self.n)" not in text
    assert "self.a" in text


@pytest.mark.parametrize(
    "statement",
    [
        "self.step()",
        "s += self.half(i)",
        "s += helper(self)",
        "s += self.double",
        "s += getattr(self, 'a')",
        "if x[i] > 100: return s",
        "print(x[i])",
        "self.log.append(i)",
    ],
)
def test_what_may_see_the_object_stays(statement):
    source = of_class(
        f"""
        def run(self, x: np.ndarray):
            s = 0.0
            for i in range(len(x)):
                s += self.a * x[i]
                {statement}
            return s
        """,
        init="self.a, self.w, self.n, self.log = a, w, n, []",
        more="""
        def step(self):
            self.a = self.a * 0.5
        def half(self, i):
            return self.a / 2
        @property
        def double(self):
            return self.a * 2
        """,
    )
    check_stays(source.replace("def f(", "def helper(model):\n    return model.a\ndef f("), *CALLS[:2])


@pytest.mark.parametrize(
    "line",
    [
        "        s += self.b * x[i]",  # nothing says what self.b is
        "        s += self.a[i % 2] * x[i]",
    ],
)
def test_attributes_of_other_classes(line):
    source = f"""
import numpy as np
from m_base import Base
class Model(Base):
    def run(self, x: np.ndarray):
        s = 0.0
        for i in range(len(x)):
    {line}
        return s
"""
    assert "_loop" not in convert(source)[0]


def test_attributes_that_are_elements_of_a_target():
    text = check(
        of_class(
            """
            def run(self, x: np.ndarray):
                for i in range(len(x)):
                    self.a, (self.b, s) = x[i] * self.a, (self.a + self.b, x[i])
                return self.a, self.b, s
            """,
            init="self.a, self.b = a, 0.5 * a",
        ),
        *CALLS,
    )
    assert "self.a, self.b = " in text or "_run_loop" not in text


def test_a_property_with_a_setter_is_no_variable():
    check_stays(
        of_class(
            """
            def run(self, x: np.ndarray):
                s = 0.0
                for i in range(len(x)):
                    self.scale = x[i]
                    s += x[i] * self.scale
                return s
            """,
            more="""
            @property
            def scale(self):
                return self.a
            @scale.setter
            def scale(self, value):
                self.a = self.a + 1
            """,
        ),
        *CALLS,
    )


def test_nested_functions():
    text = check(
        """
        import numpy as np

        def f(x: np.ndarray, a: float):
            def smooth(v: np.ndarray, b):
                y = v.copy()
                for i in range(1, len(v)):
                    y[i] = a * y[i - 1] + b * v[i]
                return y

            return smooth(x, 2.0) + smooth(x[::-1], 0.5)
        """,
        (X, 0.5),
        (X[:1], 0.5),
    )
    assert "_smooth_loop(v, a, b)" in text
    assert "def _smooth_loop(v: jax.Array, a: float, b):" in text or "def _smooth_loop(v: jax.Array, a, b):" in text


def test_nonlocal_variables_and_late_closures_stay():
    check_stays(
        """
        import numpy as np

        def f(x: np.ndarray):
            count = 0

            def run(v: np.ndarray):
                nonlocal count
                s = 0.0
                for i in range(len(v)):
                    s += v[i] * count
                    count += 1
                return s

            return run(x), run(x), count
        """,
        (X,),
    )


def test_variables_that_may_have_no_value_stay():
    check_stays(
        of_class(
            """
            def run(self, x: np.ndarray):
                if self.n > 5:
                    last = 1.0
                for i in range(len(x)):
                    last = x[i] * self.a
                return x[0] if self.n < 1 else last
            """
        ),
        CALLS[0],
        CALLS[2],
    )


def test_arguments_that_are_one_array():
    for call in ("model.run(x, x)", "model.run(x, x[1:])", "model.run(x, x.copy())"):
        source = of_class(
            """
            def run(self, x: np.ndarray, y: np.ndarray):
                for i in range(1, len(y)):
                    x[i] = self.a * y[i - 1]
                return x
            """,
            calls=call,
        )
        check_agrees(source, *CALLS, keep=True)


def test_functions_that_print():
    text = check(
        """
        import numpy as np

        def f(x: np.ndarray, n: int):
            print("start", n)
            for k in range(n):
                x = np.sin(x) + k
                for i in range(len(x)):
                    x[i] = x[i] * 0.5 + x[i - 1]
            return x
        """,
        (X, 3),
        (X, 0),
    )
    assert "x = _f_loop(" in text


def test_inner_loops_move_where_outer_ones_do_not():
    text = check(
        """
        import numpy as np

        def f(x: np.ndarray, n: int):
            for k in range(n):
                s = 0.0
                for i in range(len(x)):
                    s = s * 0.5 + x[i]
                print("turn", k)
                x = x + s
            return x
        """,
        (X, 3),
        (X, 0),
    )
    assert "    for k in range(n):\n        s = _f_loop(x)\n" in text


def test_comments_and_lines_of_several_statements():
    text = check(
        """
        import numpy as np

        # what follows is a class
        class A:
            def run(self, x: np.ndarray):
                y = x.copy()  # a copy
                # over all items
                for i in range(1, len(x)):  # from the second on
                    y[i] += y[i - 1]  # sums

                    y[i] *= 2; y[i] += 1
                # done
                return y

        def f(x: np.ndarray):
            return A().run(x)
        """,
        (X,),
    )
    assert text.index("_run_loop") < text.index("# what follows is a class\nclass A")
    for comment in ("# over all items", "# done"):
        assert comment in text


def test_diagnostics_name_the_lines_and_functions_of_the_file():
    source = textwrap.dedent(
        """
        import numpy as np

        class A:
            def run(self, x: np.ndarray):
                y = x * 2
                for i in range(1, len(x)):
                    y[i] += y[i - 1] * 0.5
                return np.cumsum(y)

        def f(x: np.ndarray):
            return A().run(x)
        """
    )
    _text, functions, diagnostics = convert(source)
    assert set(functions) == {"A.run", "f"}
    assert functions["A.run"].transform == "jit" and functions["A.run"].line == 5
    found = {d.code: d for d in diagnostics}
    assert found["NJ401"].line == 7 and found["NJ401"].function == "m.A.run"
    assert found["NJ418"].line == 7 and "`A.run`" in found["NJ418"].message
    assert all(0 < d.line <= 12 for d in diagnostics)


def test_nothing_moves_where_it_is_not_wanted():
    source = of_class(
        """
        def run(self, x: np.ndarray):
            s = 0.0
            for i in range(len(x)):
                s = self.a * s + x[i]
            return s
        """
    )
    assert "_loop" not in convert(source, ignore=("NJ418",))[0]
    assert "_loop" not in convert(source, unjitted=frozenset({"m.Model.run"}))[0]
    assert "_run_loop" in convert(source)[0]


def test_in_place_changes_of_attributes():
    source = of_class(
        """
        def run(self, x: np.ndarray):
            for i in range(1, len(self.w)):
                self.w[i] = self.w[i - 1] * self.a
            return self.w
        """,
        init="self.a, self.w, self.n = a, w * 1.0, n",
        calls="model.run(x), model.run(x), model.w",
    )
    check_agrees(source, *CALLS, keep=True)


def test_random_state_is_threaded_through():
    source = """
    import numpy as np

    class Walk:
        def __init__(self, rng: np.random.Generator):
            self.rng = rng

        def run(self, n: int):
            x = np.zeros(n)
            for i in range(1, n):
                x[i] = x[i - 1] + self.rng.normal()
            return x
    """
    convert(source)


def test_a_string_over_several_lines_stays():
    source = of_class(
        '''
        def run(self, x: np.ndarray):
            s = 0.0
            for i in range(len(x)):
                """
                a text
                """
                s = self.a * s + x[i]
            return s
        '''
    )
    assert agrees_on(source, convert(source)[0], convert(source)[1]["f"], CALLS[0])


@pytest.mark.parametrize("seed", seeds(range(0, 72, 6), quick=3))
def test_random_programs(seed):
    text = outlined_programs.program(seed)
    converted, functions, _diagnostics = convert(text)
    for number in range(2):
        agrees_on(text, converted, functions["f"], outlined_programs.arguments(2 * seed + number))


def test_an_array_that_is_given_twice_further_down():
    text = check_agrees(
        """
        import numpy as np

        def inner(a, y: np.ndarray, x: np.ndarray):
            for i in range(1, len(y)):
                x[i] = a * y[i - 1]

        def run(x: np.ndarray, y: np.ndarray):
            inner(0.5, y, x)
            return x

        def f(x: np.ndarray):
            return run(x, x)
        """,
        (np.arange(4.0) + 1,),
        keep=True,
        idempotent=False,
    )
    assert "jax.jit" not in text


@pytest.mark.parametrize("changed", ["s += 1", "s += 1; s *= 2"])
def test_a_number_that_may_be_a_row(changed):
    check_agrees(
        f"""
        import numpy as np

        def inner(s):
            {changed}
            return s

        def f(x: np.ndarray):
            s = x[0]
            s = inner(s)
            return s, x
        """,
        (np.arange(4.0) + 1,),
        (np.arange(4.0).reshape(2, 2),),
        keep=True,
    )


def test_files_are_as_they_were_where_no_loop_can_be_moved():
    """What was understood at first is what counts then, and nothing of the trial is left."""
    text = """
        import numpy as np


        class Walk:
            def __init__(self):
                self.seen = []

            def go(self, x: np.ndarray):
                s = 0.0
                for v in x:
                    s = s + np.sin(v)
                    self.seen.insert(0, float(s))
                return s


        def f(x: np.ndarray):
            return Walk().go(x) + np.cos(x).sum()
    """
    made = check_agrees(text, (np.arange(3.0),))
    assert "_loop" not in made


def test_a_function_that_would_be_compiled_anew_in_each_iteration_is_not_made():
    """The bound of a slice has to be static, and a loop around, which stays Python's, counts it."""
    source = """
        import numpy as np

        def f(A: np.ndarray, x: np.ndarray):
            for i in range(A.shape[0]):
                print(i)
                for j in range(i):
                    A[i, j] = A[i, j] - x[:i].min() * A[j, j] + A[i, j - 1]
            return A
    """
    check_stays(source, (np.arange(9.0).reshape(3, 3), X[:3]), (np.ones((1, 1)), X[:1]))
    once = source.replace("range(A.shape[0])", "range(m)").replace("x: np.ndarray", "x: np.ndarray, m: int")
    moved = once.replace("range(i)", "range(1, m)").replace("x[:i]", "x[:m]").replace("A[i, j", "A[j, j")  # of more than one row
    assert "_f_loop" in check(moved, (np.arange(9.0).reshape(3, 3), X[:3], 3))


def test_a_number_that_another_variable_is_too():
    source = """
    import numpy as np

    def f(x):
        b = 0.0
        for i in range(2):
            z = b
            for j in range(x.shape[0]):
                z += x[j]
            b = b - np.exp(z)
        return b
    """
    check_agrees(source, (np.ones(2),), (np.array([0.5, -1.0, 0.25]),), keep=True)  # `z += ...` changes no `b`


def test_a_number_that_nothing_reads_after_the_loop():
    source = """
import numpy as np

def f(x: np.ndarray, n: int):
    s = 0.5
    print(len(x))
    while s > 1.0:
        s = s / 2 - x[0] * 0
    print(n)
    for i in range(n):
        s += x[i]
    return x * 2.0
"""
    text = convert(source, placement="fast")[0]
    assert "_f_loop" in text and "s[...]" not in text
    agrees_on(source, text, convert(source, placement="fast")[1]["f"], (X, 2))


@pytest.mark.parametrize(
    "body",
    [
        "W = np.zeros(x.shape[1])\n{shown}\nfor _ in range(n):\n    W -= 0.1 * (x.T @ (x @ W - y))\nreturn W",
        "W = np.zeros(x.shape[1])\nbefore = W\n{shown}\nfor _ in range(n):\n    W -= 0.1 * (x.T @ (x @ W - y))\nreturn W, before",
        "W = np.ones(x.shape[1])\n{shown}\nfor k in range(n):\n    W *= np.exp(-np.abs(W)) + k\n    W += x[0]\nreturn W.sum(), W",
    ],
)
def test_an_array_that_op_changes_in_place_is_filled(body):
    source = function(body.format(shown="print(len(x))"), "x: np.ndarray, y: np.ndarray, n: int")
    text, functions, _diagnostics = convert(source, placement="fast")
    assert "W[...] = _f_loop(" in text and functions["f"].transform == "outlined"
    for n in (0, 3):
        with contextlib.redirect_stdout(io.StringIO()):
            want, got = (
                run(each)["f"](np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]]), np.ones(3), n) for each in (source, text)
            )
        assert not compare_values(got, want, beside=4)
