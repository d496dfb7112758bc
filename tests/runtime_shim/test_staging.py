"""Which files of two trees are compared, wherever the conversion lies and whatever it was made from."""

import json
import os

import pytest

from np2jax.runtime_shim.sandbox.attributes import names_of_jax, uses_jax
from np2jax.runtime_shim.sandbox.staging import functions_of, stage
from np2jax.runtime_shim.values.errors import ShimError

ORIGINAL = {"a.py": "x = 1\n", "b.py": "import a\n", "lib/__init__.py": "", "lib/c.py": "y = 1\n", "lib/d.py": ""}


def converted(*names):
    return {name: f"# converted\n{ORIGINAL[name]}" for name in names}


def noted(root, output, **sources):
    """Write the note of `np2jax convert SOURCES -o OUTPUT`, with the places of the sources relative to the output."""
    text = json.dumps(
        {"sources": {part.replace("__", "."): os.path.relpath(root / p, root / output) for part, p in sources.items()}}
    )
    (root / output / ".np2jax.json").write_text(text)


@pytest.fixture
def staged(tree, tmp_path_factory):
    def run(files, original, result, **sources):
        root = tree(files)
        if sources:
            noted(root, result, **sources)
        found = stage(root / original, root / result, tmp_path_factory.mktemp("staged"))
        right = {p.relative_to(found.converted).as_posix(): p.read_text() for p in found.converted.rglob("*.py")}
        left = {p.relative_to(found.original).as_posix() for p in found.original.rglob("*.py")}
        return set(found.files), left, {name for name, text in right.items() if text.startswith("# converted")}, set(right)

    return run


def test_two_files_converted_into_a_folder_beside_them(staged):
    files = ORIGINAL | {f"out/{name}": text for name, text in converted("a.py", "b.py").items()}
    compared, left, new, right = staged(files, ".", "out", a__py="a.py", b__py="b.py")
    assert compared == new == {"a.py", "b.py"}
    assert left == right == set(ORIGINAL)  # what they import is there in both trees


def test_a_file_of_a_package_beside_a_file(staged):
    files = ORIGINAL | {"out/c.py": converted("lib/c.py")["lib/c.py"], "out/a.py": converted("a.py")["a.py"]}
    compared, _, new, right = staged(files, ".", "out", c__py="lib/c.py", a__py="a.py")
    assert compared == new == {"lib/c.py", "a.py"}
    assert right == set(ORIGINAL)


def test_a_file_of_a_package_against_the_package(staged):
    files = ORIGINAL | {"out/c.py": converted("lib/c.py")["lib/c.py"]}
    compared, left, new, right = staged(files, "lib", "out", c__py="lib/c.py")
    assert compared == new == {"lib/c.py"}
    assert left == right == {"lib/__init__.py", "lib/c.py", "lib/d.py"}


def test_a_folder_of_what_was_converted(staged):
    files = ORIGINAL | {f"out/{name}": text for name, text in converted(*ORIGINAL).items()}
    compared, left, new, _ = staged(files, "lib", "out", **{".": "."})
    assert compared == new == {"lib/__init__.py", "lib/c.py", "lib/d.py"}
    assert left == compared


def test_a_single_file_of_what_was_converted(staged):
    files = ORIGINAL | {f"out/{name}": text for name, text in converted(*ORIGINAL).items()}
    assert staged(files, "lib/c.py", "out", **{".": "."})[0] == {"lib/c.py"}


@pytest.mark.parametrize(("original", "result"), [(".", "port"), ("numpy", ".")])
def test_one_tree_inside_of_the_other(staged, original, result):
    files = {f"{original}/{name}": text for name, text in ORIGINAL.items()}
    files |= {f"{result}/{name}": text for name, text in converted(*ORIGINAL).items()}
    compared, left, new, right = staged(files, original, result)
    assert compared == left == new == right == set(ORIGINAL)


def test_other_conversions_are_not_part_of_the_project(staged):
    files = ORIGINAL | {f"out/{name}": text for name, text in converted(*ORIGINAL).items()}
    files |= {"other/a.py": "x = 2\n", "other/.np2jax.json": "{}"}
    assert staged(files, ".", "out")[1] == set(ORIGINAL)


@pytest.mark.parametrize(
    "note", ["[]", "{", '{"sources": []}', '{"sources": {"a.py": 1}}', '{"sources": {"a.py": "../gone.py"}}']
)
def test_a_note_that_says_nothing_is_ignored(staged, note):
    files = ORIGINAL | {f"out/{name}": text for name, text in converted(*ORIGINAL).items()} | {"out/.np2jax.json": note}
    assert staged(files, ".", "out")[0] == set(ORIGINAL)


def test_a_version_is_not_compared_with_itself(tree, tmp_path):
    root = tree(ORIGINAL)
    (tmp_path / "link").symlink_to(root)
    with pytest.raises(ShimError, match="cannot be compared with itself"):
        stage(root, tmp_path / "link", tmp_path / "staged")


RING = """
class Ring:
    def __init__(self, n, start):
        self.data = jnp.zeros(n)
        self.seen = np.zeros(n)
        self.start = start

    def bump(self):
        data = self.data
        data += 1.0

    def note(self, i):
        self.seen[i] = self.data[i]

    def begin(self, i):
        self.start[i] = self.data[i]

    def first(self):
        return self.seen[0]
"""


@pytest.mark.parametrize(
    ("name", "found"), [("bump", True), ("note", False), ("begin", False), ("first", False), ("__init__", False)]
)
def test_methods_that_use_attributes_of_jax(tmp_path, name, found):
    path = tmp_path / "ring.py"
    path.write_text(f"import jax.numpy as jnp\nimport numpy as np\n{RING}")
    methods = functions_of(path)
    assert names_of_jax(path) == {"jnp"}
    assert uses_jax(f"Ring.{name}", methods[f"Ring.{name}"], methods, names_of_jax(path)) == found
