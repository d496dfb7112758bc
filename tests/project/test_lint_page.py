"""What docs/lint.md says of `np2jax lint` is so: its commands, options, settings, exit statuses, and the completion of a shell."""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "lint.md").read_text()
TEXT = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n"


def test_the_commands_print_what_the_page_shows(monkeypatch):
    console = runpy.run_path(str(ROOT / "docs" / "console.py"))
    assert PAGE.count("$ np2jax") > 10
    assert console["with_output"](PAGE) == PAGE


def test_every_option_exists(np2jax):
    known = np2jax("lint", "--help")[1]
    ours = PAGE.partition("## If you know ruff")[0]
    named = {option for code in re.findall(r"`([^`\n]+)`", ours) for option in re.findall(r"(?<![\w-])--[a-z-]+", code)}
    assert len(named) > 20
    assert {option for option in named if not re.search(rf"{option}\b(?!-)", known)} == {"--diff"}  # of `np2jax convert`
    for line in re.findall(r"np2jax (lint .*)", PAGE):
        assert all(word in known for word in shlex.split(line.rstrip("`")) if word.startswith("--"))


def test_every_option_is_on_the_page(np2jax):
    ours = re.findall(r"^  (?:-\w, )?(--[\w-]+)", np2jax("lint", "--help")[1].partition("--fix ")[2], re.MULTILINE)
    assert len(ours) > 15
    missing = {option for option in ours if option not in PAGE} - {"--help"}
    assert missing <= {"--quiet", "--verbose"}  # as -q and -v


def test_the_settings_are_known(tree):
    from np2jax.migrate.project.settings import load

    (block,) = re.findall(r"<!-- settings -->\n```toml\n(.*?)```", PAGE, re.DOTALL)
    settings = load([tree({"pyproject.toml": block, "a.py": ""}) / "a.py"])
    assert settings.per_file_ignores == (("scripts/*", ("NJ5",)), ("!model/*", ("NJ3",)))


@pytest.mark.parametrize(
    ("status", "arguments"),
    [
        (0, ("good.py",)),
        (0, ("bad.py", "--fix", "--allow-dirty")),
        (0, ("bad.py", "--add-noqa", "--allow-dirty")),
        (0, ("bad.py", "--write-baseline", "known.json")),
        (0, ("bad.py", "--exclude", "bad.py", "--force-exclude")),
        (1, ("bad.py",)),
        (1, ("bad.py", "good.py", "-q", "--statistics")),
        (1, ("left.py", "--fix", "--allow-dirty")),
        (1, ("unused.py", "--add-noqa", "--allow-dirty")),
        (2, ("bad.py", "--no-such-option")),
        (2, ("bad.py", "--select", "NJ9999")),
        (2, ("bad.py", "--output-format", "yaml")),
        (2, ("nowhere.py",)),
        (2, ("binary.py",)),
        (2, ("binary.py", "bad.py")),
        (2, ("bad.py", "--output-file", "nowhere/found.txt")),
        (2, ("bad.py", "--baseline", "bad.py")),
        (2, ()),
    ],
)
def test_the_exit_status(np2jax, tree, status, arguments):
    tree({
        "good.py": "x = 1\n",
        "bad.py": TEXT,
        "left.py": "import jax\n\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n",
        "unused.py": "x = 1  # np2jax: ignore\n",
        "binary.py": b"\x7fELF\x00\xff",
    })  # fmt: skip
    found, _, err = np2jax("lint", *arguments)
    assert found == status
    if status == 2:
        assert err.count("\n") == 1 and err.startswith("np2jax: ")


def test_explain_shows_an_example_where_there_is_one(np2jax):
    from np2jax.rules.core.refusals import every_code

    examples = 0
    for code, rule in every_code().items():
        status, out, _ = np2jax("explain", code)
        assert (status, out.count("```python")) == (0, rule.doc.count("```python")), code
        examples += "```python" in out
    assert examples > 100
    status, out, err = np2jax("explain", "NJ80l")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "explain: unknown rule code `NJ80l`; did you mean `NJ80" in err


@pytest.mark.parametrize(
    ("shell", "line"),
    [("bash", "complete -o nosort"), ("zsh", "compdef _np2jax_completion np2jax"), ("fish", "complete --no-files")],
)
def test_completion(shell, line):
    assert f"_NP2JAX_COMPLETE={shell}_source np2jax" in PAGE
    program = "from np2jax.migrate.commands.cli import main; main()"

    def complete(**variables):
        environment = {**os.environ, **variables}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0
        return done.stdout

    assert line in complete(_NP2JAX_COMPLETE=f"{shell}_source")
    words = {"COMP_WORDS": "np2jax lint --output-fo", "COMP_CWORD": "--output-fo" if shell == "fish" else "2"}
    assert "--output-format" in complete(_NP2JAX_COMPLETE=f"{shell}_complete", **words)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_completion_in_a_real_shell():
    """bash calls the function that the script on the page defines, which calls the command."""
    words = "np2jax lint --output-format sa".split()
    script = f"""
eval "$(_NP2JAX_COMPLETE=bash_source np2jax)"
COMP_WORDS=({" ".join(words)}) COMP_CWORD={len(words) - 1}
_np2jax_completion np2jax
echo "${{COMPREPLY[@]}}"
"""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("sarif\n", "")
