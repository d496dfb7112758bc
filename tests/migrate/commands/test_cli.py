import json
import subprocess

import pytest

SOURCE = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n\n\ndef draw(n):\n    return np.random.rand(n)\n"
CONVERTED = "import jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.sqrt(x)\n\n\ndef draw(n):\n    return np.random.rand(n)\n"


def git(root, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(tree):
    root = tree({"pkg/__init__.py": "", "pkg/a.py": SOURCE, "pkg/b.py": "x = 1\n"})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "start")
    return root


def test_convert_in_place(engine, np2jax, repository):
    status, out, err = np2jax("convert", "pkg")
    assert (status, err) == (0, "")
    assert (repository / "pkg/a.py").read_text() == CONVERTED
    assert out.splitlines() == [
        "pkg/a.py:8: kept pkg.a.draw: it draws random numbers (NJ101)",
        "1 of 2 functions that use NumPy are converted (50%): 1 proved, 1 kept",
        "1 of 3 files converted",
    ]


def test_convert_twice_changes_nothing(engine, np2jax, repository):
    np2jax("convert", "pkg")
    status, out, _ = np2jax("convert", "pkg", "--allow-dirty")
    assert (status, out.splitlines()[-1]) == (0, "0 of 3 files converted")
    assert (repository / "pkg/a.py").read_text() == CONVERTED


def test_convert_into_a_folder(engine, np2jax, tree):
    root = tree({"pkg/__init__.py": "", "pkg/a.py": SOURCE, "pkg/data.txt": "1\n"})
    status, out, err = np2jax("convert", "pkg", "-o", "out")
    assert (status, err, out.splitlines()[-1]) == (0, "", "1 of 2 files converted into out")
    assert (root / "pkg/a.py").read_text() == SOURCE
    assert (root / "out/a.py").read_text() == CONVERTED
    assert (root / "out/data.txt").read_text() == "1\n"


def test_no_copy_is_made_of_what_does_not_parse(np2jax, tree):
    root = tree({"bad.py": "def f(:\n"})
    status, _, err = np2jax("convert", "bad.py", "-o", "out")
    assert status == 2
    assert "bad.py:1: syntax error" in err
    assert not (root / "out").exists()


def test_the_engine_sees_every_file_and_all_options(engine, np2jax, tree):
    tree({"pkg/__init__.py": "", "pkg/a.py": SOURCE, "pkg/b.py": "x = 1\n"})
    settings = '[tool.np2jax]\nprecision = "float32"\npublic = ["pkg.a.f"]\nunsafe = true\n'
    tree({"pyproject.toml": settings})
    np2jax("convert", "pkg", "--check", "-j", "2")
    ((files, options),) = engine
    assert [file.module for file in files] == ["pkg", "pkg.a", "pkg.b"]
    assert (options.precision, options.public, options.unsafe, options.jobs) == ("float32", {"pkg.a.f"}, True, 2)
    np2jax("convert", "pkg", "--check", "--precision", "float64")
    assert engine[-1][1].precision == "float64"


def test_nothing_is_analysed_where_numpy_is_not_mentioned(engine, np2jax, tree):
    tree({"pkg/a.py": "x = 1\n"})
    status, out, _ = np2jax("convert", "pkg", "--check")
    assert (status, engine) == (0, [])
    assert out.splitlines()[0] == "no function uses NumPy"


def test_diff_and_check_write_nothing(engine, np2jax, repository):
    status, out, err = np2jax("convert", "pkg", "--diff")
    assert (status, err) == (0, "")
    assert out.splitlines()[:5] == [
        "--- pkg/a.py",
        "+++ pkg/a.py",
        "@@ -1,8 +1,8 @@",
        "-import numpy as np",
        "+import jax.numpy as jnp",
    ]
    assert np2jax("convert", "pkg", "--check")[0] == 1
    assert np2jax("convert", "pkg", "--check", "--diff")[:2] == (1, out)
    assert (repository / "pkg/a.py").read_text() == SOURCE


def test_diff_of_odd_lines(engine, np2jax, tree):
    tree({"a.py": b"import numpy as np\r\nx = np.sqrt(2)"})
    _, out, _ = np2jax("convert", "a.py", "--diff")
    assert out == (
        "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n"
        "-import numpy as np\r\n-x = np.sqrt(2)\n\\ No newline at end of file\n"
        "+import jax.numpy as jnp\r\n+x = jnp.sqrt(2)\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize("state", ["changed", "staged", "untracked", "ignored", "no repository"])
def test_what_is_not_committed_is_refused(engine, np2jax, repository, state):
    target = repository / "pkg/a.py"
    reason = "has uncommitted changes"
    if state == "changed":
        target.write_text(SOURCE + "x = 1\n")
    elif state == "staged":
        target.write_text(SOURCE + "x = 1\n")
        git(repository, "add", ".")
    elif state == "no repository":
        (repository / ".git").rename(repository / "gone")
        reason = "is not under version control"
    else:
        git(repository, "rm", "-q", "--cached", "pkg/a.py")
        git(repository, "commit", "-qm", "less")
        if state == "ignored":
            (repository / ".gitignore").write_text("a.py\n")
        reason = "is not under version control"
    before = target.read_bytes()
    status, out, err = np2jax("convert", "pkg")
    assert (status, out) == (2, "")
    assert err.startswith(f"np2jax: pkg/a.py: {reason}")
    assert err.count("\n") == 1
    assert target.read_bytes() == before
    assert np2jax("convert", "pkg", "--allow-dirty")[0] == 0
    assert b"jnp.sqrt" in target.read_bytes()


def test_other_uncommitted_files_do_not_matter(engine, np2jax, repository):
    (repository / "pkg/b.py").write_text("x = 2\n")
    (repository / "new.py").write_text("x = 2\n")
    assert np2jax("convert", "pkg")[0] == 0


def test_an_interrupted_run_is_completed_first(engine, np2jax, repository):
    from np2jax.migrate.files.in_place_writer import JOURNAL

    (repository / "pkg" / JOURNAL).write_bytes(b"[]\n")
    status, _, err = np2jax("convert", "pkg")
    assert status == 0
    assert "an interrupted conversion had changed nothing" in err


def test_reports(engine, np2jax, repository):
    status, _, _ = np2jax("convert", "pkg", "-o", "out", "--report", "r.json", "--report", "r.md")
    assert status == 0
    report = json.loads((repository / "r.json").read_text())
    assert report["functions"][1] == {
        "file": "pkg/a.py",
        "line": 8,
        "name": "pkg.a.draw",
        "label": "kept",
        "transform": "",
        "codes": ["NJ101"],
        "reason": "it draws random numbers",
        "conditions": [],
    }
    assert report["summary"]["by_label"] == {"proved": 1, "kept": 1}
    assert report["summary"]["by_reason"] == {"it draws random numbers": 1}
    assert report["summary"]["share"] == 0.5
    assert [item["code"] for item in report["diagnostics"]] == ["NJ101"]
    assert "1 of 2 functions that use NumPy are converted (50%)" in (repository / "r.md").read_text()


def test_lint(engine, np2jax, repository):
    status, out, err = np2jax("lint", "pkg")
    assert (status, err) == (1, "")
    assert out == (
        "pkg/a.py:5:12: NJ101 `np.sqrt` is `jnp.sqrt` in JAX [*]\n  |\n5 |     return np.sqrt(x)\n  |            ^^^^^^^\n\n1 finding in 1 file; `--fix` changes the 1 marked [*]\n"
    )
    assert np2jax("lint", "pkg/b.py") == (0, "no findings\n", "")


def test_lint_fix(engine, np2jax, repository):
    status, out, _ = np2jax("lint", "pkg", "--fix")
    assert (status, out.splitlines()[0]) == (0, "pkg/a.py:5:12: NJ101 `np.sqrt` is `jnp.sqrt` in JAX [fixed]")
    assert (repository / "pkg/a.py").read_text() == CONVERTED


def test_lint_formats(engine, np2jax, repository):
    status, out, _ = np2jax("lint", "pkg", "--format", "json")
    assert status == 1
    (item,) = json.loads(out)["diagnostics"]
    assert (item["path"], item["line"], item["column"], item["fixed"]) == ("pkg/a.py", 5, 12, False)
    assert np2jax("lint", "pkg", "--format", "github")[1] == (
        "::warning file=pkg/a.py,line=5,endLine=5,col=12,endColumn=19,title=np2jax NJ101::`np.sqrt` is `jnp.sqrt` in JAX\n"
    )


def test_suppressed_findings_are_left_out(engine, np2jax, tree):
    tree({"a.py": SOURCE.replace("np.sqrt(x)", "np.sqrt(x)  # np2jax: ignore[NJ1]")})
    assert np2jax("lint", "a.py")[0] == 0
    tree({"a.py": SOURCE.replace("np.sqrt(x)", "np.sqrt(x)  # np2jax: ignore[NJ2]")})
    assert np2jax("lint", "a.py")[0] == 1


def test_only_the_chosen_rules_speak(engine, np2jax, tree):
    tree({"a.py": SOURCE})
    assert np2jax("lint", "a.py", "--select", "NJ2")[0] == 0
    assert np2jax("lint", "a.py", "--select", "NJ101,NJ2")[0] == 1
    assert np2jax("lint", "a.py", "--ignore", "NJ1")[0] == 0
    assert "NJ101" in engine[-1][1].ignore


def test_excluded_files_are_linted_only_when_named(engine, np2jax, tree):
    tree({"pkg/a.py": SOURCE, "pkg/b.py": "", "pyproject.toml": "[tool.np2jax]\nexclude = ['pkg/a.py']\n"})
    assert np2jax("lint", "pkg")[0] == 0
    assert np2jax("lint", "pkg/a.py")[0] == 1
    assert np2jax("lint", "pkg/a.py", "--force-exclude")[0] == 0


def test_lint_is_remembered_until_something_changes(engine, np2jax, repository):
    first = np2jax("lint", "pkg")
    assert np2jax("lint", "pkg") == first
    assert len(engine) == 1
    np2jax("lint", "pkg", "--no-cache")
    assert len(engine) == 2
    np2jax("lint", "pkg", "--precision", "float32")
    assert len(engine) == 3
    (repository / "pkg/b.py").write_text("x = 3\n")
    np2jax("lint", "pkg")
    assert len(engine) == 4
    for path in (repository / ".cache").iterdir():
        path.write_text("{broken")
    assert np2jax("lint", "pkg") == first
    assert len(engine) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert"], "Missing argument 'PATH...'. See `np2jax convert --help`."),
        (["convert", "pkg", "--precision", "float16"], "'float16' is not one of"),
        (["convert", "pkg", "-j", "-1"], "x>=0"),
        (["convert", "pkg", "-o", "pkg/out"], "pkg/out: the output must lie outside of pkg"),
        (["convert", "pkg", "--report", "r.txt"], "r.txt: a report must end in "),
        (["convert", "pkg", "--report", "r.htm"], "a report must end in .html, "),
        (["convert", "pkg", "--report-format", "htm"], "'htm' is not one of"),
        (["convert", "pkg", "--report", "pkg", "--report-format", "html"], "pkg: cannot be written, as it is a folder"),
        (["convert", "pkg", "--report", "no/r.md"], "no/r.md: no such folder"),
        (["lint", "pkg", "--frmat", "json"], "--frmat"),
        (["lnt", "pkg"], "No such command 'lnt'"),
    ],
)
def test_wrong_usage_is_one_line(engine, np2jax, repository, arguments, message):
    status, out, err = np2jax(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("np2jax: ")
    assert message in err
    assert err.count("\n") == 1


def test_version(np2jax):
    from np2jax import __version__

    assert np2jax("--version")[:2] == (0, f"np2jax {__version__}\n")


LOOP = "import jax\nimport numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    for _ in range(n):\n        x = np.sin(x)\n    return x\n"


def test_the_old_option_for_trip_counts_warns(np2jax, tree):
    tree({"a.py": LOOP})
    status, new, err = np2jax("convert", "a.py", "--diff", "--trip-counts", "static")
    assert (status, err) == (0, "") and "static_argnames" in new
    status, old, err = np2jax("convert", "a.py", "--diff", "--turns", "static")
    warning = 'np2jax: --turns is called trip-counts now, with the value "static"; version 0.2 drops the old name'
    assert (status, old, err.splitlines()) == (0, new, [warning])


def test_warnings_of_python_about_the_code_are_not_printed(np2jax, tree):
    tree({"w.py": "def f(x):\n    return x is 1\n"})
    _status, _out, err = np2jax("verify", "w.py", "w.py")
    assert err == "np2jax: w.py: a version cannot be compared with itself\n"
