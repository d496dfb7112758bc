"""Findings that a baseline knows are not reported; new ones are, and what is gone is counted."""

import json

import pytest

TEXT = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n\n\ndef g(x):\n    return np.sqrt(x)\n"
WRITE = ("--write-baseline", "known.json")
READ = ("--baseline", "known.json", "--output-format", "concise", "--select", "NJ101")


@pytest.fixture
def project(np2jax, tree):
    root = tree({"pkg/a.py": TEXT, "pkg/b.py": TEXT.replace("sqrt", "cos")})
    assert np2jax("lint", "pkg", *WRITE, "--select", "NJ101") == (0, "", "np2jax: known.json: 4 known findings\n")
    return root


def test_the_file(project):
    assert json.loads((project / "known.json").read_text()) == {
        "version": 1,
        "findings": [
            {"path": "pkg/a.py", "code": "NJ101", "text": "return np.sqrt(x)", "count": 2},
            {"path": "pkg/b.py", "code": "NJ101", "text": "return np.cos(x)", "count": 2},
        ],
    }


def test_known_findings_are_not_reported(project, np2jax, monkeypatch):
    assert np2jax("lint", "pkg", *READ) == (0, "no findings\n", "np2jax: known.json: 4 known findings not reported\n")
    assert np2jax("lint", "pkg", *READ, "-q") == (0, "", "")
    (project / "elsewhere").mkdir()
    monkeypatch.chdir(project / "elsewhere")
    assert np2jax("lint", "../pkg", "--baseline", "../known.json", "--select", "NJ101")[0] == 0


def test_lines_may_move(project, np2jax):
    (project / "pkg/a.py").write_text("# moved\n\n" + TEXT.replace("    return", "    if x:\n        return"))
    assert np2jax("lint", "pkg", *READ)[0] == 0


def test_a_further_equal_finding_is_new(project, np2jax):
    (project / "pkg/a.py").write_text(TEXT + "\n\ndef h(x):\n    return np.sqrt(x)\n")
    status, out, err = np2jax("lint", "pkg", *READ)
    assert (status, err) == (1, "np2jax: known.json: 4 known findings not reported\n")
    assert out.splitlines()[0].startswith("pkg/a.py:13:12: NJ101 ")
    assert len(out.splitlines()) == 2


def test_another_code_or_line_or_file_is_new(project, np2jax):
    (project / "pkg/c.py").write_text(TEXT)
    (project / "pkg/a.py").write_text(TEXT.replace("sqrt", "sin"))
    out = np2jax("lint", "pkg", *READ)[1]
    assert [line.partition(":")[0] for line in out.splitlines()[:-1]] == ["pkg/a.py", "pkg/a.py", "pkg/c.py", "pkg/c.py"]
    assert "NJ501" in np2jax("lint", "pkg/b.py", *READ[:-2])[1]


def test_what_is_gone_is_counted(project, np2jax):
    (project / "pkg/a.py").write_text(TEXT.rpartition("def g")[0])
    gone = "no longer there: --write-baseline known.json drops them\n"
    assert np2jax("lint", "pkg", *READ)[2].endswith(f"3 known findings not reported, 1 known finding {gone}")
    assert np2jax("lint", "pkg/b.py", *READ)[2].endswith("2 known findings not reported\n")
    assert "no longer" not in np2jax("lint", "pkg", *READ[:-1], "NJ2")[2]
    (project / "pkg/a.py").unlink()
    assert np2jax("lint", "pkg", *READ)[2].endswith(f"2 known findings not reported, 2 known findings {gone}")


def test_mended_findings_are_reported(project, np2jax):
    status, out, _ = np2jax("lint", "pkg/a.py", "--fix", "--allow-dirty", *READ)
    assert status == 0
    assert out.count("[fixed]") == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read (No such file or directory); --write-baseline known.json makes a baseline"),
        (b"", "not a baseline, as it is not JSON"),
        (b"{", "not a baseline, as it is not JSON"),
        (b"\xff\xfe\x00", "not a baseline, as it is not JSON"),
        (b"[" * 100_000, "not a baseline, as it is not JSON"),
        (b"[]", "not a baseline, though it is JSON"),
        (b'{"version": 2, "findings": []}', "a baseline of another version"),
        (b'{"version": 1}', "not a baseline, though it is JSON"),
        (b'{"version": 1, "findings": [1]}', "not a baseline, though it is JSON"),
        (b'{"version": 1, "findings": [{"path": 1, "code": "a", "text": "b", "count": 1}]}', "not a baseline"),
        (b'{"version": 1, "findings": [{"path": "a", "code": "a", "text": "b", "count": true}]}', "not a baseline"),
    ],
)
def test_a_file_that_is_no_baseline(np2jax, tree, content, message):
    tree({"a.py": TEXT, **({"known.json": content} if content is not None else {})})
    status, out, err = np2jax("lint", "a.py", "--baseline", "known.json")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("np2jax: known.json: ") and message in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--write-baseline", "no/known.json"), "no/known.json: no such folder as no"),
        ((*WRITE, "--fix"), "--write-baseline and --fix exclude each other"),
        ((*WRITE, *READ), "--write-baseline and --baseline exclude each other"),
        ((*READ, "--add-noqa"), "--add-noqa and --baseline exclude each other"),
    ],
)
def test_wrong_use(np2jax, tree, options, message):
    tree({"a.py": TEXT})
    status, out, err = np2jax("lint", "a.py", *options)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_an_empty_baseline(np2jax, tree):
    tree({"a.py": "x = 1\n"})
    assert np2jax("lint", "a.py", *WRITE)[0] == 0
    assert np2jax("lint", "a.py", *READ) == (0, "no findings\n", "")
