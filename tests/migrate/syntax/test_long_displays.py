"""Long tables are parsed in parts: the tree is the one of the whole text, and LibCST never sees a long display."""

import pytest

from np2jax.migrate.syntax import long_displays
from np2jax.migrate.syntax.long_displays import parsed_in_parts
from np2jax.migrate.syntax.source import _tree

ROWS = "".join(f"    ({k}, {k + 1}),\n" for k in range(200))
PLAIN = "".join(f"{k}, {k}.5, 'a,b', (1,\n 2), " for k in range(100))
TABLES = {
    "rows": f"import os\n\nx = (\n{ROWS})\ny = 1\n",
    "one line": f"x = [{PLAIN}3]\n",
    "without brackets": f"x = {', '.join('(1, 2)' for _ in range(300))}\n",
    "in a call": f"import numpy as np\nx = np.array([  # numbers\n{ROWS}], dtype=float) + 1; y = 2\n",
    "two": f"x = [{ROWS}]; y = {{{PLAIN}}}\n",
    "nested": f"x = [[{PLAIN}], [{PLAIN}\n], [1]]\n",
    "comments": "x = [\n" + "".join(f"    {k} , # {k}, {k}\n    {k},\n" for k in range(200)) + "]\n",
    "starred": "x = [" + "*(1, 2), 3,\n\n   " * 200 + "]\n",
}


@pytest.fixture
def texts(monkeypatch):
    """What LibCST parses, where 500 characters are long."""
    monkeypatch.setattr(long_displays, "LONG", 500)
    monkeypatch.setattr(long_displays, "PART", 100)
    found = []

    def tree(data):
        found.append(data)
        return _tree(data)

    return found, tree


@pytest.mark.parametrize("name", TABLES)
def test_the_tree_is_that_of_the_whole_text(name, texts):
    parsed, tree = texts
    data = TABLES[name].encode()
    made = parsed_in_parts(data, tree)
    assert made.code == TABLES[name]
    assert made.deep_equals(_tree(data))
    assert len(parsed) > 1
    assert max(map(len, parsed)) < 500


UNCUT = {
    "in brackets": "x = [" + "".join(f"({k}), " for k in range(400)) + "]\n",
    "short": "x = [1, 2, 3]\n",
    "in a function": f"def f():\n    return [{PLAIN}]\n",
    "no display": "x = '" + "1, " * 400 + "'\n",
    "an index": f"x[{', '.join('(1, 2)' for _ in range(300))}]\n",
    "a dict": "x = {" + "".join(f"{k}: {k}, " for k in range(300)) + "}\n",
    "other lines": f"x = (\n{ROWS})\n".replace("\n", "\r\n"),
    "not ASCII": f"x = [{PLAIN}'é']\n",
    "a form feed": f"\f\nx = [{PLAIN}]\n",
}


@pytest.mark.parametrize("name", UNCUT)
def test_other_text_is_parsed_as_a_whole(name, texts):
    parsed, tree = texts
    data = UNCUT[name].encode()
    assert parsed_in_parts(data, tree).deep_equals(_tree(data))
    assert parsed == [data]
