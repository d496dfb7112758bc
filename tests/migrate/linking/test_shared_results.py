"""Host code that calls a function which changes its argument and returns it: the result must show what is written later."""

import pytest

from np2jax.tests.helpers.differential import compare_values, convert_project, run

STEP = """
import numpy as np


def step(p, y):
    pn = p.copy()
    for _ in range(20):
        p[1:-1, 1:-1] = (pn[1:-1, 2:] + pn[1:-1, 0:-2]) * 0.25 + np.sin(p[1:-1, 1:-1])
        p[:, -1] = y
    return p


y = np.linspace(0, 1, 9)
"""

COMPILED = {
    "called once": "p = np.zeros((9, 9))\np = step(p, y)\n",
    "written before": "p = np.zeros((9, 9))\np[3] = 1.0\np[:, 0] = y\np = step(p, y)\n",
    "called twice": "p = np.zeros((9, 9))\np = step(p, y)\np = step(p, y * 2)\n",
    "called in a loop": "p = np.zeros((9, 9))\nfor k in range(3):\n    p = step(p, y * k)\n    print(p.sum() > 0)\n",
    "bound again": "p = np.zeros((9, 9))\np[0] = 2.0\np = step(p, y)\np = np.zeros((9, 9))\np[1] = 3.0\np = step(p, y)\n",
}
SEEN = {
    "written by another name": "q = np.zeros((9, 9))\np = step(q, y)\nq[2, 2] = 5.0\n",
    "written in the next iteration": (
        "q = np.zeros((9, 9))\np = q\nfor k in range(3):\n    q[2, 2] += p[2, 3]\n    p = step(q, y)\n    print(p[2, 2] > 0)\n"
    ),
    "changed by a second call": "q = np.zeros((9, 9))\np = step(q, y)\nr = step(q, y * 2)\n",
}


def converted(text, placement="fast"):
    texts, functions, _found = convert_project({"m.py": STEP + text}, placement=placement)
    compare_values(run(texts["m.py"])["p"], run(STEP + text)["p"])
    return texts["m.py"], functions["m.step"]


@pytest.mark.parametrize("text", COMPILED.values(), ids=COMPILED.keys())
def test_the_function_is_compiled_where_nothing_is_written_later(text):
    text, function = converted(text)
    assert "fori_loop" in text or "scan" in text, function.reason


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN.keys())
def test_the_result_shows_what_is_written_by_another_name(text, placement):
    converted(text, placement)


@pytest.mark.parametrize("placement", ["fast", "device"])
def test_an_array_of_an_object_is_there_when_its_method_runs_again(placement):
    text = STEP + (
        "class Field:\n    def __init__(self):\n        self.q = np.zeros((9, 9))\n\n"
        "    def next(self, k):\n        self.q[2] = k\n        return step(self.q, y)\n\n\n"
        "field = Field()\nfirst = field.next(1.0)\np = np.array([first.sum(), field.next(2.0).sum(), first.sum()])\n"
    )
    texts, _functions, _found = convert_project({"m.py": text}, placement=placement)
    compare_values(run(texts["m.py"])["p"], run(text)["p"])


VIEW = """
import numpy as np


def half(q):
    return q[::2]


records = np.zeros(3, dtype=[("a", float)])  # JAX has none: this code stays NumPy
q = np.zeros(8)
"""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("q[0] = 1.0\np = half(q)\n", False),
        ("p = half(q)\nq[0] = 1.0\n", True),
        ("for k in range(3):\n    q[k] = k\n    p = half(q)\n", True),
        ("q[0] = 1.0\nfor k in range(3):\n    p = half(q)\n", False),
    ],
    ids=["before", "after", "in the same loop", "before the loop"],
)
def test_a_view_shows_what_is_written_after_the_call(text, kept):
    texts, functions, _found = convert_project({"m.py": VIEW + text}, placement="device")
    compare_values(run(texts["m.py"])["p"], run(VIEW + text)["p"])
    assert (functions["m.half"].label == "kept") == kept, functions["m.half"].reason
