"""What IPython allows in a cell is hidden behind calls, and comes back as it was."""

import ast

import pytest

from np2jax.migrate.notebooks.magics import hide, show

MAGICS = [
    "%matplotlib inline\nx = 1",
    "!pip install -q \\\n    numpy\ny = 2",
    "if x:\n    !ls {x}\n    %time f(x)\nelse:\n    y = (1\n      % 2)",
    "files = !ls *.py\nf, g = %who_ls\nx = 5 % 3",
    "np.sum?\n?np.sum\nnp.linalg??\nx",
    '"""\n%not a magic\n!nor this\n"""\n%a_magic\n',
    "x = [\n    1,\n    !ls,\n]",
    "%%time\ny = f(x)",
    "%timeit f((a\n           for a in x),\n          1)\nz = 1",
    "%%bash\nfor i in 1 2; do echo $i; done",
    "%%html\n<b>%</b>",
    "x = 'a' \\\n    % b\n%pwd",
]


@pytest.mark.parametrize("source", MAGICS)
def test_there_and_back(source):
    hidden = hide(source, 0)
    assert show(hidden.text, hidden.magics) == source
    if "    !ls,\n" not in source:  # no magic: an error of the user, who is told the line
        ast.parse(hidden.text)
        assert hidden.magics


@pytest.mark.parametrize("source", ["x %= 2\ny = x != 1", "", "# %magic\n", "x = 1;", 'print("%d!" % x)', "await f()"])
def test_python_stays(source):
    assert hide(source, 0) == (source, ())


def test_calls_are_counted_across_cells():
    first, second = hide("%a\n%b", 0), hide("%c", 2)
    magics = [*first.magics, *second.magics]
    assert show(f"{second.text}\n{first.text}", magics) == "%c\n%a\n%b"
    assert show("get_ipython().magic(7)", magics) == "get_ipython().magic(7)"
