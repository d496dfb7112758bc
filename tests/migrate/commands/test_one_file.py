"""Commands on one file of a project: the others are read, and never written."""

import json
import subprocess
import sys

import pytest

A = """import numpy as np


def energy(mass: np.ndarray, speed: np.ndarray) -> np.ndarray:
    return 0.5 * np.cumsum(mass) * np.sqrt(speed**2)


def decay(x: np.ndarray):
    x *= np.exp(-np.cumsum(x))
"""
B = """import numpy as np

from .a import decay, energy


def main():
    e = energy(np.ones(3), np.arange(3.0))
    e[0] = 2
    decay(e)
    print(e, type(e).__name__)


main()
"""
RUN = [sys.executable, "-m", "pkg.b"]


@pytest.fixture
def project(tree):
    root = tree(
        {
            "pyproject.toml": "",
            "pkg/__init__.py": "",
            "pkg/a.py": A,
            "pkg/b.py": B,
            "alone.py": "import numpy as np\n\nprint(np.sqrt(np.ones(3)))\n",
        }
    )
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def printed(root):
    return subprocess.run(RUN, cwd=root, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.mark.parametrize("command", [("convert",), ("lint", "--fix"), ("convert", "--placement", "device")])
def test_the_program_runs_as_before(np2jax, project, command):
    before = printed(project)
    status, out, err = np2jax(*command, "pkg/a.py", "--allow-dirty")
    assert err == ""
    assert (project / "pkg/b.py").read_text() == B
    text = (project / "pkg/a.py").read_text()
    assert "def _energy(" in text and "    x *= " in text
    assert printed(project) == before
    if command[0] == "convert":
        assert status == 0
        assert (
            "pkg/a.py:8: kept pkg.a.decay: it changes its arguments, and `main`, in a file that is not converted, calls it (NJ226)"
            in out
        )
        assert out.splitlines()[-1] == "1 of 1 files converted; 2 other files of the project stay as they are"
    assert np2jax("convert", "pkg/a.py", "--allow-dirty", *command[1:] * (command[0] == "convert"))[0] == 0
    assert printed(project) == before


def test_a_copy_of_one_file_can_take_its_place(np2jax, project):
    before = printed(project)
    assert np2jax("convert", "pkg/a.py", "-o", "out")[0] == 0
    assert sorted(path.name for path in (project / "out").iterdir()) == [".np2jax.json", "a.py"]
    (project / "pkg/a.py").write_bytes((project / "out/a.py").read_bytes())
    assert printed(project) == before


def test_both_files_are_converted_together_as_before(np2jax, project):
    assert np2jax("convert", "pkg", "-o", "whole")[0] == 0
    assert np2jax("convert", "pkg/a.py", "pkg/b.py", "pkg/__init__.py", "-o", "parts")[0] == 0
    for name in ("a.py", "b.py", "__init__.py"):
        assert (project / "whole" / name).read_bytes() == (project / "parts" / name).read_bytes()
    assert "def _energy(" not in (project / "whole/a.py").read_text()


def test_only_the_selected_files_are_reported(np2jax, project):
    np2jax("convert", "pkg/a.py", "-o", "out", "--report", "r.json")
    report = json.loads((project / "r.json").read_text())
    assert {function["file"] for function in report["functions"]} == {"pkg/a.py"}
    assert {item["path"] for item in report["diagnostics"]} == {"pkg/a.py"}
    status, out, _err = np2jax("convert", "--dump-after", "decide", "pkg/a.py")
    assert status == 0 and "pkg/b.py" not in out and "pkg.a.energy" in out


@pytest.mark.parametrize("files", [["pkg/a.py"], ["pkg/b.py", "alone.py"], ["pkg"], ["alone.py"]])
def test_lint_says_of_files_what_it_says_of_the_project(np2jax, project, files):
    whole = json.loads(np2jax("lint", ".", "--format", "json", "--no-cache")[1])
    some = json.loads(np2jax("lint", *files, "--format", "json", "--no-cache")[1])

    def about(found):
        return [item for item in found if item["path"] in files or any(item["path"].startswith(f"{file}/") for file in files)]

    key = next(name for name, value in whole.items() if isinstance(value, list) and value and "code" in value[0])
    assert some[key] == about(whole[key]) != []


def test_the_cache_serves_all_files_of_an_unchanged_project(np2jax, project, monkeypatch):
    whole = np2jax("lint", ".", "--cache-dir", "cache", "--output-format", "concise")
    from np2jax.migrate.project import pipeline

    monkeypatch.setattr(pipeline, "convert_files", None)  # nothing is analysed any more
    status, out, _err = np2jax("lint", "pkg/a.py", "alone.py", "--cache-dir", "cache", "--output-format", "concise")
    assert status == 1
    assert {line.partition(":")[0] for line in out.splitlines()[:-1]} == {"pkg/a.py", "alone.py"}
    assert set(out.splitlines()[:-1]) <= set(whole[1].splitlines())


def test_a_change_of_another_file_is_noticed(np2jax, project):
    first = np2jax("lint", "pkg/a.py", "--cache-dir", "cache")
    (project / "pkg/b.py").write_text(B.replace("    decay(e)\n", "    print(decay(e), [decay])\n"))
    second = np2jax("lint", "pkg/a.py", "--cache-dir", "cache")
    assert first != second
    assert second == np2jax("lint", "pkg/a.py", "--no-cache")


def test_a_file_that_cannot_be_parsed_is_named(np2jax, project):
    (project / "pkg/old.py").write_text("from .a import energy\nprint energy\n")
    status, _out, err = np2jax("convert", "pkg/a.py", "-o", "out")
    assert status == 0
    assert "pkg/old.py" in err and err.rstrip().endswith("what it calls is not known")


def test_absolute_paths_give_the_same_text(np2jax, project):
    np2jax("convert", "pkg/a.py", "-o", "out")
    np2jax("convert", project / "pkg/a.py", "-o", "out2")
    assert (project / "out/a.py").read_bytes() == (project / "out2/a.py").read_bytes()


def test_the_whole_project_is_converted_as_if_nothing_were_around_it(np2jax, project):
    np2jax("convert", "pkg", "-o", "inside")
    (project / "pyproject.toml").unlink()
    (project / "alone.py").unlink()
    np2jax("convert", "pkg", "-o", "outside")
    for name in ("a.py", "b.py", "__init__.py"):
        assert (project / "inside" / name).read_bytes() == (project / "outside" / name).read_bytes()


def test_a_script_in_a_folder_of_scripts_is_converted_as_if_it_were_alone(np2jax, tree):
    root = tree({f"s{n}.py": f"{A}\n\nprint(energy(np.ones({n}), np.ones({n})))\n" for n in range(5)} | {"one/s0.py": A})
    np2jax("convert", "s0.py", "-o", "out")
    (root / "one/s0.py").write_text((root / "s0.py").read_text())
    np2jax("convert", "one/s0.py", "-o", "out2")
    assert (root / "out/s0.py").read_bytes() == (root / "out2/s0.py").read_bytes()
