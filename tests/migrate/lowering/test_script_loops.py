"""Loops of scripts, outside of functions, become functions; what the script and its importers read afterwards is the same."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert_project, run

START = """
import numpy as np

n = 6
c = 0.5
rows = np.linspace(0.0, 1.0, n)
u = np.outer(rows, rows[::-1]) + 1.0
"""
SWEEP = """
for k in range(len(rows)):
    un = u.copy()
    for j in range(1, len(rows)):
        for i in range(1, len(rows)):
            u[j, i] = un[j, i] - c * (un[j, i] - un[j, i - 1]) - 0.25 * c * (un[j, i] - un[j - 1, i]) * un[j, i] + rows[k]
"""
MOVED = {
    "at the top level": SWEEP,
    "twice": SWEEP + "c2 = c * 2\n" + SWEEP.replace("c *", "c2 *"),
    "with a constant that is bound again": SWEEP + "c = 0.25\n" + SWEEP,
    "after a plot": "print(u.sum() > 0)\n" + SWEEP + "print(u[1, 1] > 0)\n",
    "if it is the main program": 'if __name__ == "m":\n' + SWEEP.replace("\n", "\n    ") + "\n",
    "whose variable is read": "un = 0 * u\n" + SWEEP + "last = un[1, 1] + 1\n",
    "with initial values": "s = 0.0\nbest = np.zeros(n)\n" + SWEEP + "    s += u.sum()\n    best[k] = u.max()\n",
    "whose array a function reads": "def total():\n    return u.sum()\n\n\nt0 = total()\n" + SWEEP + "t1 = total()\n",
    "whose array has another name": "v = u\n" + SWEEP + "seen = v.sum()\n",
    "with a number": "s = 0.0\n" + SWEEP.replace("            u[j, i] =", "            s += un[j, i]\n            u[j, i] ="),
}
STAYS = {
    "with few iterations": SWEEP.replace("len(rows)", "n"),
    "that exchanges arrays": "un = u.copy()\n" + SWEEP.replace("    un = u.copy()\n", "    un, u = u, un\n"),
    "that appends to a list": "found = []\n" + SWEEP + "    found.append(u.sum())\nsums = np.array(found)\n",
    "that prints": SWEEP + "    print(k)\n",
    "that calls what is not known": "import os\n" + SWEEP + "    os.getcwd()\n",
    "whose index is read": SWEEP + "last = i + j + k\n",
    "whose variable may have no value": SWEEP + "last = un[1, 1] + 1\n",
    "that deletes": SWEEP + "    del un\n",
    "in a class": "class A:\n" + SWEEP.replace("\n", "\n    ") + "\n",
}
ONLY_IN_LOOPS = ("i", "j", "k", "un")  # which no other code reads
CHANGED = "def change():\n    global c\n    c = 3.0\n\n\n"


def compared(text, placement="fast"):
    """The converted script, when its variables are those of the original; numbers and arrays are compared, with their dtypes."""
    converted = convert_project({"m.py": START + text}, placement=placement)[0]["m.py"]
    before, after = run(START + text), run(converted)
    for name, value in before.items():
        if isinstance(value, (np.ndarray, float, int, np.generic)) and name not in ONLY_IN_LOOPS:
            compare_values(after[name], value, name)
    return converted


@pytest.mark.quick(4)
@pytest.mark.parametrize("text", MOVED.values(), ids=MOVED.keys())
def test_a_loop_becomes_a_function(text):
    converted = compared(text)
    assert "_script_loop(" in converted and "lax." in converted
    assert convert_project({"m.py": converted}, placement="fast")[0]["m.py"] == converted


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS.keys())
def test_a_loop_stays(text):
    assert "lax." not in compared(text)


@pytest.mark.parametrize("placement", ["fast", "device"])
def test_a_variable_that_a_function_binds_is_an_argument(placement):
    compared(CHANGED + SWEEP + "change()\n" + SWEEP, placement)


@pytest.mark.quick(4)
@pytest.mark.parametrize("text", MOVED.values(), ids=MOVED.keys())
def test_variables_are_the_same_on_the_device(text):
    compared(text, "device")
