"""`verify`, `convert --verify` and `record` from the command line, with programs that really run."""

import json

import pytest

pytestmark = pytest.mark.slow

SOURCE = """import numpy as np


def root(x: np.ndarray):
    return np.sqrt(x)


def cube_root(x: np.ndarray):
    return np.cbrt(x)


def main():
    x = np.array([1.0, 8.0, 27.0])
    print(root(x), cube_root(x))


if __name__ == "__main__":
    main()
"""
HEADER = "import jax\nimport jax.numpy as jnp\n\njax.config.update('jax_enable_x64', True)"
RIGHT = SOURCE.replace("np.", "jnp.").replace("import numpy as np", HEADER)
WRONG = RIGHT.replace("jnp.cbrt(x)", "jnp.sqrt(x)")


def test_verify_agrees(np2jax, tree):
    root = tree({"a.py": SOURCE, "out/a.py": RIGHT})
    status, out, err = np2jax("verify", "a.py", "out/a.py", "--report", "r.json", "--report", "r.md")
    assert (status, err) == (0, "")
    assert "a.root: agrees" in out
    report = json.loads((root / "r.json").read_text())
    assert report["ok"]
    assert report["summary"]["functions"]["agrees"] == 2
    assert "a.root" in (root / "r.md").read_text().replace("\\", "")


def test_verify_finds_a_difference(np2jax, tree):
    tree({"a.py": SOURCE, "out/a.py": WRONG})
    status, out, _ = np2jax("verify", "a.py", "out")
    assert status == 1
    assert "a.cube_root: differs" in out


@pytest.mark.parametrize(("original", "converted"), [("gone.py", "a.py"), ("a.py", "gone.py"), ("a.py", "empty")])
def test_verify_of_what_is_not_there(np2jax, tree, original, converted):
    (tree({"a.py": SOURCE}) / "empty").mkdir()
    status, out, err = np2jax("verify", original, converted)
    assert (status, out) == (2, "")
    assert err.startswith("np2jax: ")
    assert err.count("\n") == 1


def test_convert_keeps_what_differs(np2jax, tree, monkeypatch):
    """A conversion that is wrong on purpose: verify finds it, and the function is NumPy again."""
    from np2jax.migrate.project import pipeline

    convert_files = pipeline.convert_files

    def wrong(files, options):
        done = convert_files(files, options)
        changed = (file._replace(data=file.data and file.data.replace(b"jnp.cbrt(", b"jnp.sqrt(")) for file in done.files)
        return done._replace(files=tuple(changed))

    monkeypatch.setattr(pipeline, "convert_files", wrong)
    root = tree({"a.py": SOURCE})
    status, out, err = np2jax("convert", "a.py", "-o", "out", "--placement", "device", "--verify", "--report", "r.json")
    assert (status, err) == (0, "")
    assert "kept a.cube_root: differs when run" in out
    converted = (root / "out/a.py").read_text()
    assert "np.cbrt(x)" in converted
    assert "jnp.sqrt(x)" in converted
    report = json.loads((root / "r.json").read_text())
    labels = {function["name"]: function["label"] for function in report["functions"]}
    assert (labels["a.root"], labels["a.cube_root"]) == ("checked", "kept")
    assert report["verification"]["ok"]


def test_record_and_verify_with_what_was_seen(np2jax, tree):
    root = tree({"a.py": SOURCE, "out/a.py": RIGHT})
    status, out, _ = np2jax("record", "-o", "seen.zip", "--", "python", "a.py")
    assert status == 0
    assert "calls of" in out
    assert (root / "seen.zip").exists()
    status, out, _ = np2jax("verify", "a.py", "out/a.py", "--evidence", "seen.zip")
    assert status == 0


def test_record_of_a_program_that_fails(np2jax, tree):
    tree({"a.py": SOURCE + "    raise SystemExit(3)\n"})
    status, _, err = np2jax("record", "--", "python", "a.py")
    assert (status, err) == (1, "np2jax: python: ended with status 3\n")


MODULES = {
    "a.py": "import numpy as np\nfrom scale import by\n\n\ndef f(x: np.ndarray):\n    return by(np.sum(x**2))\n",
    "b.py": "import numpy as np\nfrom a import f\n\n\ndef g(x: np.ndarray):\n    return f(x) + np.max(x)\n",
    "scale.py": "def by(x):\n    return 2.0 * x\n",
}


def test_some_files_are_converted_and_verified_in_their_folder(np2jax, tree):
    """The folder contains its own conversion, and the files that were not converted are needed by those that were."""
    tree(MODULES)
    assert np2jax("convert", "a.py", "b.py", "-o", "out")[0] == 0
    status, out, _ = np2jax("verify", ".", "out")
    assert status == 0
    assert [line.split(":")[2].strip() for line in out.splitlines() if ": agrees" in line] == ["a.f", "b.g"]


def test_a_file_that_is_lost_is_a_difference(np2jax, tree):
    root = tree({f"pkg/{name}": text for name, text in MODULES.items()})
    np2jax("convert", "pkg", "-o", "out")
    (root / "out/b.py").unlink()
    status, out, _ = np2jax("verify", "pkg", "out")
    assert status == 1
    assert "b.g: differs: the converted tree does not have this file" in out


def test_a_conversion_inside_of_a_project_is_not_converted_again(np2jax, tree):
    tree(MODULES)
    np2jax("convert", "a.py", "b.py", "scale.py", "-o", "out")
    assert "of 3 files would be changed" in np2jax("convert", ".", "--check")[1]
    assert "out/" not in np2jax("lint", ".")[1]
