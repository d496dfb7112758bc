"""`verify`, `convert --verify` and `record` from the command line, with programs that really run."""

import json
from pathlib import Path

import jsonschema
import numpy as np
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
    root = tree({"a.py": SOURCE, "out/a.py": RIGHT})
    assert np2jax("verify", "a.py", "out", "--report", "base.json")[0] == 0
    (root / "out/a.py").write_text(WRONG)
    names = ("r.html", "r.xml", "r.sarif", "r.json", "r.md")
    reports = [word for name in names for word in ("--report", name)]
    status, out, _ = np2jax("verify", "a.py", "out", *reports, "--against", "base.json")
    assert status == 1
    assert "a.cube_root: differs" in out
    schema = json.loads((Path(__file__).parents[3] / "docs/report.schema.json").read_text())
    for name in ("base.json", "r.json"):
        jsonschema.validate(json.loads((root / name).read_text()), schema)
    texts = {name: (root / name).read_text() for name in names}
    assert "a.root" not in texts["r.md"].replace("\\", "") and "| a.cube\\_root | a.py:8 | agrees" in texts["r.md"]
    assert all("cube_root" in text for name, text in texts.items() if name != "r.md")
    assert '"uri": "a.py"' in texts["r.sarif"] and 'file="a.py"' in texts["r.xml"]


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--against", "gone.json", "--report", "r.md"], "gone.json"), (["--against", "base.json"], "--report FILE.md")],
)
def test_verify_against_needs_a_report_and_its_base(np2jax, tree, options, message):
    tree({"a.py": SOURCE, "out/a.py": RIGHT, "base.json": '{"schema": 1, "functions": []}'})
    status, _, err = np2jax("verify", "a.py", "out", *options)
    assert (status, err.count("\n")) == (2, 1)
    assert message in err


def test_verify_accepts_known_differences(np2jax, tree):
    root = tree({"a.py": SOURCE, "out/a.py": WRONG})
    status, _, err = np2jax("verify", "a.py", "out", "--write-baseline", "known.json")
    assert (status, err) == (2, "np2jax: --write-baseline needs --reason TEXT: why the differences are accepted\n")
    status, out, err = np2jax(
        "verify", "a.py", "out", "--write-baseline", "known.json", "--reason", "not ours", "--until", "2999-12-31"
    )
    assert (status, err) == (0, "np2jax: known.json: 3 accepted differences\n")
    assert "a.cube_root: accepted: until 2999-12-31, because not ours; differs" in out
    status, _, err = np2jax("verify", "a.py", "out", "--baseline", "known.json", "--report", "r.html", "--report", "r.json")
    assert (status, err) == (0, "")
    assert json.loads((root / "r.json").read_text())["summary"]["functions"]["accepted"] == 2
    (root / "out/a.py").write_text(WRONG.replace("jnp.sqrt(x)", "-x", 1))
    status, out, _ = np2jax("verify", "a.py", "out", "--baseline", "known.json")
    assert status == 1 and "a.root: differs" in out


CHANGES = """import numpy as np


def add_to_all(x: np.ndarray, value: float):
    x += value


def main():
    x = np.array([1.0, 2.0])
    add_to_all(x, 0.5)
    print(x)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("part", ["", "inner", "inner/a.py"])
def test_verify_of_a_part_knows_how_the_whole_was_converted(np2jax, tree, part):
    """`add_to_all` stays NumPy by default: only the note says that it returns `x`."""
    tree({"pkg/__init__.py": "", "pkg/inner/__init__.py": "", "pkg/inner/a.py": CHANGES})
    status, _, _ = np2jax("convert", "pkg", "-o", "out", "--placement", "device")
    assert status == 0
    status, out, err = np2jax("verify", f"pkg/{part}", f"out/{part}")
    assert (status, err) == (0, "")
    assert "add_to_all: agrees" in out


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

    def wrong(files, options, observe=None, **known):
        done = convert_files(files, options, observe, **known)
        changed = (file._replace(data=file.data and file.data.replace(b"jnp.cbrt(", b"jnp.sqrt(")) for file in done.files)
        return done._replace(files=tuple(changed))

    monkeypatch.setattr(pipeline, "convert_files", wrong)
    root = tree({"a.py": SOURCE})
    reports = ("--report", "r.json", "--report", "r.html", "--report", "r.xml")
    status, out, err = np2jax("convert", "a.py", "-o", "out", "--placement", "device", "--verify", *reports)
    assert (status, err) == (0, "")
    assert "kept a.cube_root: differs when run" in out
    converted = (root / "out/a.py").read_text()
    assert "np.cbrt(x)" in converted
    assert "jnp.sqrt(x)" in converted
    report = json.loads((root / "r.json").read_text())
    labels = {function["name"]: function["label"] for function in report["functions"]}
    assert (labels["a.root"], labels["a.cube_root"]) == ("checked", "kept")
    assert report["verification"]["ok"]
    page, cases = (root / "r.html").read_text(), (root / "r.xml").read_text()
    assert "Passed. Functions: " in page and "<td>kept<td>" in page
    assert str(root) not in page + cases  # the copies that were compared are gone
    assert 'name="a.cube_root [verdict]" classname="a" file="a.py"' in cases


def test_record_and_verify_with_what_was_seen(np2jax, tree):
    root = tree({"a.py": SOURCE, "out/a.py": RIGHT})
    status, out, _ = np2jax("record", "-o", "seen.zip", "--", "python", "a.py")
    assert status == 0
    assert "calls of" in out
    assert (root / "seen.zip").exists()
    status, out, _ = np2jax("verify", "a.py", "out/a.py", "--evidence", "seen.zip")
    assert status == 0


def test_recorded_calls_of_other_code_and_such_that_raise_are_noted(np2jax, tree):
    from np2jax.runtime_shim.values.calls import arguments
    from np2jax.runtime_shim.values.evidence import Evidence, write
    from np2jax.runtime_shim.values.snapshot import Array

    root = tree({"a.py": SOURCE.partition("\n\n\ndef main")[0], "out/a.py": RIGHT.partition("\n\n\ndef main")[0]})
    call = arguments([Array(np.ones(3))])
    write(Evidence({("other.py", "f"): [call]}), root / "other.zip")
    write(Evidence({("a.py", "root"): [call, arguments(["text"])], ("a.py", "gone"): [call]}), root / "e.zip")
    status, out, _ = np2jax("verify", "a.py", "out/a.py", "--evidence", "other.zip")
    assert status == 0
    assert "note: all: other.zip: it records calls of other code (other.py), and none of this" in out
    status, out, _ = np2jax("verify", "a.py", "out/a.py", "--evidence", "e.zip")
    assert status == 0
    assert "note: all: e.zip: it records calls of functions that are not there (a.py: gone)" in out
    assert "note: a.root: 1 of 2 recorded calls have no result to compare: the original raises " in out


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


UNCALLABLE = """import numpy as np


class Model:
    def __init__(self, store):
        self.w = store.load().weights

    def value(self, x):
        return np.sum(self.w * x)


def fit(model, x):
    return model.push(x).first()


async def pieces(x):
    return np.sum(x)
"""


def test_nothing_compared_is_a_failure(np2jax, tree):
    root = tree({"a.py": UNCALLABLE})
    assert np2jax("convert", "a.py", "-o", "out")[0] == 0
    status, out, err = np2jax("verify", "a.py", "out", "--report", "r.json")
    assert status == 1
    assert err.startswith("np2jax: nothing was compared: ")
    assert "a.Model.value: not compared: no recorded call has an instance to call it on, and none of Model could be made: " in out
    assert "it needs a call with an instance of Model and `x`" in out
    assert "it needs a call with `model` (an object with `push`) and `x`" in out
    assert "compared: 0 of 4 functions; 0 of 4 lines of the original (0%)" in out
    report = json.loads((root / "r.json").read_text())
    assert not report["ok"]
    assert report["problems"]
    assert [one["needs"] != "" for one in report["functions"]] == [True, True, True, False]


def test_no_functions_at_all(np2jax, tree):
    tree({"a/x.py": "N = 3\n", "b/x.py": "N = 3\n"})
    status, _, err = np2jax("verify", "a", "b")
    assert (status, err) == (1, "np2jax: nothing was compared: a has no functions and no programs\n")


def test_as_much_is_compared_as_is_required(np2jax, tree):
    both = "import numpy as np\n\n\ndef root(x: np.ndarray):\n    return np.sqrt(x)\n\n\n" + UNCALLABLE.partition("\n\n\n")[2]
    tree({"a.py": both, "out/a.py": both.replace("np.", "jnp.").replace("import numpy as np", "import jax.numpy as jnp")})
    assert np2jax("verify", "a.py", "out")[0] == 0
    assert np2jax("verify", "a.py", "out", "--min-compared", "15%")[0] == 0
    status, out, err = np2jax("verify", "a.py", "out", "--min-compared", "80%")
    assert (status, err) == (1, "np2jax: 20.0% of the original was compared, less than 80%\n")
    assert "compared: 1 of 5 functions; 1 of 5 lines of the original (20%); 1 of 5 lines of the converted version" in out


def test_a_file_that_does_not_parse_is_a_failure(np2jax, tree):
    both = "import numpy as np\n\n\ndef root(x: np.ndarray):\n    return np.sqrt(x)\n"
    tree({f"{folder}/{name}": text for folder in ("a", "b") for name, text in (("x.py", both), ("y.py", "def f(:\n"))})
    status, out, err = np2jax("verify", "a", "b")
    assert "x.root: agrees" in out
    assert status == 1
    assert err == "np2jax: y.py: nothing in it was compared: it does not parse: invalid syntax (<unknown>, line 1)\n"


@pytest.mark.parametrize("share", ["much", "-1%", "101", "nan"])
def test_a_share_that_is_none(np2jax, tree, share):
    tree({"a.py": SOURCE, "out/a.py": RIGHT})
    status, _, err = np2jax("verify", "a.py", "out", f"--min-compared={share}")
    assert status == 2
    assert "is no percentage" in err


def test_convert_that_cannot_verify_says_so(np2jax, tree):
    root = tree({"a.py": UNCALLABLE.replace("    return model.push(x).first()", "    return model.push(np.sum(x))")})
    status, _, err = np2jax("convert", "a.py", "-o", "out", "--verify", "--placement", "device")
    assert (root / "out/a.py").read_text() != (root / "a.py").read_text()
    assert status == 1
    assert err.startswith("np2jax: nothing was compared: ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("print(1)\n", "no function defined in the current folder was called"),
        ("def f(lock):\n    return 1\n\n\nimport threading\nf(threading.Lock())\n", "no call of a function could be stored"),
    ],
)
def test_nothing_recorded_is_a_failure(np2jax, tree, text, reason):
    tree({"a.py": text})
    status, out, err = np2jax("record", "--", "python", "a.py")
    assert status == 1
    assert out.startswith("0 calls of ")
    assert err.splitlines()[-1] == f"np2jax: nothing was recorded: {reason}"
