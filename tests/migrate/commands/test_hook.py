"""The hooks, run by the real pre-commit on a small repository."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BAD = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n"


def notebook(code):
    cell = {"cell_type": "code", "source": code, "metadata": {}, "outputs": [], "execution_count": None}
    return {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]}


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.mark.slow
def test_all_hooks_run_in_a_repository(tmp_path):
    pytest.importorskip("pre_commit")
    yaml = pytest.importorskip("yaml")
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    source, user = tmp_path / "np2jax", tmp_path / "user"
    ignored = shutil.ignore_patterns(".git", ".venv*", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, source, ignore=ignored)
    user.mkdir()
    (user / "bad.py").write_text(BAD)
    (user / "good.py").write_text("x = 1\n")
    (user / "bad.ipynb").write_text(json.dumps(notebook(BAD)))
    (user / "notes.txt").write_text("import numpy\n")
    for folder in (source, user):
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "start")

    def try_hook(*files):
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(source), "--files", *files]
        done = subprocess.run(command, cwd=user, capture_output=True, text=True, timeout=400, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout

    status, out = try_hook("bad.py", "good.py", "bad.ipynb", "notes.txt")
    assert status == 1, out
    assert {hook["id"] for hook in hooks} == {"np2jax-lint", "np2jax-lint-notebooks"}
    assert all(f"- hook id: {hook['id']}" in out for hook in hooks), "each of them failed"
    assert "bad.py:5:" in out
    assert "bad.ipynb:cell 1:5:" in out
    assert "good.py" not in out.partition("hook id")[2]
    assert try_hook("good.py", "notes.txt")[0] == 0
