"""Lint asks for the findings alone: they are those of the conversion, and no code is written."""

from pathlib import Path

from np2jax.migrate.files.lint_run import findings
from np2jax.migrate.project.discovery import discover
from np2jax.migrate.project.driver import CommandLine, analyse, gather
from np2jax.migrate.project.linting import analyse_for_lint
from np2jax.migrate.project.rule_selection import resolve

EXAMPLES = Path(__file__).parents[3] / "examples"
TEXT = """
import numpy as np


def push(position: np.ndarray, velocity: np.ndarray, dt: float):
    position += velocity * dt
    return np.abs(velocity).max()


def sums(values, noise: float, verbose=False):
    total = 0.0
    for i in range(len(values)):
        total += values[i] * np.random.normal() * noise
        if verbose:
            print(total)
    return np.median(values, axis=0), total


def strange(x: np.ndarray):
    x.sort(kind="heapsort")
    return np.busday_count("2020-01", "2021-01"), x
"""


def both(folder):
    project, options = gather([folder], CommandLine())
    options = resolve(options)
    return analyse(project, options), analyse_for_lint(project, options)


def test_the_findings_are_those_of_the_conversion(tmp_path):
    (tmp_path / "a.py").write_text(TEXT)
    (tmp_path / "b.py").write_text("import a\nimport numpy as np\n\n\ndef f(x: np.ndarray):\n    return a.push(x, x, 0.1)\n")
    converted, linted = both(tmp_path)
    assert any(file.data for file in converted.files)
    assert not any(file.data for file in linted.files)
    assert findings(linted) == findings(converted)
    assert len(findings(linted).diagnostics) > 8


def test_the_findings_in_longer_programs_are_those_of_the_conversion():
    project = discover(sorted(EXAMPLES.rglob("*.py"))[:3])
    options = resolve(gather([project.files[0].path], CommandLine())[1])
    linted = findings(analyse_for_lint(project, options))
    assert linted.diagnostics
    assert linted == findings(analyse(project, options))


def test_comments_that_prevent_a_change_count(tmp_path):
    (tmp_path / "a.py").write_text(
        TEXT.replace("position += velocity * dt", "position += velocity * dt  # np2jax: ignore[NJ201]")
    )
    converted, linted = both(tmp_path)
    assert findings(linted) == findings(converted)
    assert [file.silenced for file in linted.files] == [file.silenced for file in converted.files]
