"""Notebooks are linted at cells and lines, and converted: what is not code, and code that stays, is not touched."""

import copy
import json

import pytest

nbformat = pytest.importorskip("nbformat")

from nbformat import v4  # noqa: E402

CELLS = [
    v4.new_markdown_cell("# Heat"),
    v4.new_code_cell("%matplotlib inline\nimport numpy as np", metadata={"tags": ["setup"]}),
    v4.new_code_cell("print('hello')", outputs=[v4.new_output("stream", text="hello\n")], execution_count=2),
    v4.new_code_cell(""),
    v4.new_code_cell(
        "def step(u: np.ndarray, k: float):\n    u[1:-1] += k * np.diff(u, 2)\n    return u",
        outputs=[v4.new_output("stream", text="old")],
        execution_count=3,
    ),
    v4.new_raw_cell("raw"),
    v4.new_code_cell("%%bash\nls"),
    v4.new_code_cell("for i in range(3):\n    %time np.cos(1.0)\nfiles = !ls\nstep?", execution_count=4),
]


@pytest.fixture
def notebook():
    return v4.new_notebook(cells=copy.deepcopy(CELLS), metadata={"kernelspec": {"name": "a", "display_name": "b"}, "mine": [1]})


@pytest.fixture
def place(tree, notebook):
    return tree({"n.ipynb": nbformat.writes(notebook), "setup.cfg": ""}) / "n.ipynb"


def test_findings_stand_at_cells_and_lines(np2jax, place):
    status, out, _ = np2jax("lint", "n.ipynb", "--select", "NJ2", "--format", "text")
    assert status == 1
    assert out.startswith(
        "n.ipynb:cell 4:2:5: NJ201 `u` is changed in place\n  |\n2 |     u[1:-1] += k * np.diff(u, 2)\n  |     ^^^"
    )
    found = {}
    for form in ("concise", "json", "sarif", "github", "gitlab", "junit"):
        found[form] = np2jax("lint", ".", "--select", "NJ2", "--format", form, "-q")[1]  # from the cache, in a folder
        assert "cell 4" in found[form] or form == "json"
    (item,) = json.loads(found["json"])["diagnostics"]
    assert (item["cell"], item["line"], item["column"], item["end_line"]) == (4, 2, 5, 2)
    assert "line=1," in found["github"] and "cell 4, line 2, column 5: " in found["github"]


def test_a_syntax_error_is_named_with_its_cell(np2jax, tree, notebook):
    notebook.cells[4].source = "x = 1\ny = = 2"
    tree({"n.ipynb": nbformat.writes(notebook)})
    for command in (("lint", "n.ipynb"), ("convert", "n.ipynb", "--diff")):
        assert "n.ipynb:cell 4:2: syntax error" in np2jax(*command)[2] or command[0] == "convert"


def test_a_conversion_changes_code_only(np2jax, place, notebook):
    before = place.read_bytes()
    status, _, err = np2jax("convert", "n.ipynb", "--placement", "device", "-o", "out.ipynb")
    assert (status, err) == (0, "")
    assert place.read_bytes() == before
    made = nbformat.read(place.with_name("out.ipynb"), nbformat.NO_CONVERT)
    nbformat.validate(made)
    assert made.metadata == notebook.metadata
    assert [(c.id, c.cell_type, c.metadata) for c in made.cells] == [(c.id, c.cell_type, c.metadata) for c in notebook.cells]
    changed = {n for n, (new, old) in enumerate(zip(made.cells, notebook.cells, strict=True)) if new.source != old.source}
    assert changed == {1, 4}
    assert all(made.cells[n] == notebook.cells[n] for n in range(8) if n not in changed)
    assert [(made.cells[n].outputs, made.cells[n].execution_count) for n in changed] == [([], None)] * 2
    assert "\n%matplotlib inline\n" in made.cells[1].source
    assert "import numpy as np" in made.cells[1].source, "a magic needs it"
    assert made.cells[4].source.startswith("@jax.jit\ndef step(u: jax.Array, k: float):\n    u = u.at[1:-1].add(")


def test_a_folder_with_a_notebook_is_copied(np2jax, tree, notebook):
    module = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.sin(x) * np.cos(x) + x\n"
    place = tree({"project/n.ipynb": nbformat.writes(notebook), "project/m.py": module, "project/setup.cfg": ""})
    status, _, err = np2jax("convert", "project", "--placement", "device", "-o", "copy", "--report", "r.json")
    assert (status, err) == (0, "")
    assert "jnp" in place.joinpath("copy", "n.ipynb").read_text()
    names = {f["name"].rpartition(".")[2] for f in json.loads(place.joinpath("r.json").read_text())["functions"]}
    assert {"step", "f"} <= names


def test_a_function_that_a_magic_calls_keeps_its_results(np2jax, tree, notebook):
    notebook.cells[7].source = "%timeit step(np.ones(9), 0.1)"
    tree({"n.ipynb": nbformat.writes(notebook)})
    _, out, _ = np2jax("lint", "n.ipynb", "--format", "concise")
    assert "n.ipynb:cell 4:1:5: NJ208 left as NumPy: it changes `u`, and is public" in out


def test_fixes_in_place(np2jax, place):
    status, out, _ = np2jax("lint", "n.ipynb", "--fix", "--allow-dirty", "-q", "--format", "concise")
    assert status == 0
    assert "n.ipynb:cell 4:2:5: NJ201 `u` is changed in place [fixed]" in out
    assert np2jax("lint", "n.ipynb", "-q") == (0, "", "")


def test_fixes_in_code_that_is_jax(np2jax, tree, notebook):
    notebook.cells[1].source, notebook.cells[4].source = (
        "import jax\nimport jax.numpy as jnp",
        "k = 1\nkey = jax.random.PRNGKey(0)",
    )
    place = tree({"n.ipynb": nbformat.writes(notebook)}) / "n.ipynb"
    _, out, _ = np2jax("lint", "n.ipynb", "--fix", "--allow-dirty", "-q", "--format", "concise", "--select", "NJ825", "--unsafe")
    assert out.startswith("n.ipynb:cell 4:2:7: NJ825 ")
    assert nbformat.read(place, 4).cells[4].source == "k = 1\nkey = jax.random.key(0)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("n.ipynb", "-o", "n.ipynb"), "n.ipynb: is the notebook itself"),
        (("n.ipynb", "-o", "old.ipynb"), "old.ipynb: exists already"),
        (("a.py", "-o", "new.ipynb"), "new.ipynb: only one notebook can be converted into a notebook"),
        (("n.ipynb", "-o", "none/new.ipynb"), "none/new.ipynb: cannot be written (No such file or directory)"),
        (("n.ipynb", "-o", "new.ipynb", "--verify"), "n.ipynb: notebooks are not run"),
    ],
)
def test_outputs_that_cannot_be(np2jax, place, tree, arguments, message):
    tree({"old.ipynb": "", "a.py": ""})
    status, _, err = np2jax("convert", *arguments)
    assert (status, err.count("\n")) == (2, 1)
    assert message in err
    assert not place.with_name("new.ipynb").exists()


def test_messages_name_lines_of_cells(np2jax, tree):
    cells = [
        "import jax",
        "def draw(key):\n    a = jax.random.normal(key)\n    return a + jax.random.normal(key)",
        "key = jax.random.key(0)",
    ]
    more = ["a = jax.random.normal(key)", "b = jax.random.normal(key)"]
    tree({"n.ipynb": nbformat.writes(v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in (*cells, *more)]))})
    lines = np2jax("lint", "n.ipynb", "--format", "concise")[1].splitlines()
    assert lines[0].startswith("n.ipynb:cell 2:3:16: NJ821 this random key was used up in line 2: ")
    assert lines[1].startswith("n.ipynb:cell 5:1:5: NJ821 this random key was used up in line 1 of cell 4: ")
