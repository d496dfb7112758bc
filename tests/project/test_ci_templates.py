"""The action for GitHub and the template for GitLab: their own commands run on a small project; docs/ci.md names what they have."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
JOB = yaml.safe_load((ROOT / "gitlab.yml").read_text())[".np2jax"]
EXAMPLES = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/ci.md").read_text(), re.DOTALL)]
SOURCE = "import numpy as np\n\n\ndef root(x):\n    return np.sqrt(x)\n\n\ndef pieces(source):\n    return source.read_pieces().joined\n\n\nprint(root(np.arange(3.0)))\n"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The folder of a Python that has the libraries, and np2jax only once a script installs it; and a copy of np2jax."""
    place = tmp_path_factory.mktemp("ci")
    ignored = shutil.ignore_patterns(".git", ".venv*", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, place / "np2jax", ignore=ignored)
    subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True, timeout=300)
    (libraries,) = (place / "venv/lib").glob("python*/site-packages")
    (libraries / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "venv/bin", place / "np2jax"


def bash(script, folder, python, variables):
    """Run a script as CI does: (exit status, output)."""
    environment = {**os.environ, "PATH": f"{python}{os.pathsep}{os.environ['PATH']}", **variables}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def run_action(folder, python, **inputs):
    """Run the steps of the action with these inputs: (status, output, summary)."""
    values = {name: one["default"] for name, one in ACTION["inputs"].items()} | inputs
    summary = folder.parent / "summary"
    summary.write_text("")
    given = {"GITHUB_ACTION_PATH": str(python[1]), "RUNNER_TEMP": str(folder.parent), "GITHUB_STEP_SUMMARY": str(summary)}
    for step in ACTION["runs"]["steps"]:
        env = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) }}", lambda m: values[m[1]], text)
            for name, text in step.get("env", {}).items()
        }
        status, output = bash(step["run"], folder, python[0], given | env)
        if status:
            break
    return status, output, summary.read_text()


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/a.py").write_text(SOURCE)
    return folder


@pytest.mark.slow
def test_the_action(project, python):
    status, output, summary = run_action(project, python, path="pkg")
    assert status == 0, output
    assert "a.root" in summary.replace("\\", "")
    reports = project / "np2jax-report"
    assert {path.name for path in reports.iterdir()} == {"report.html", "report.json", "report.xml", "report.sarif", "summary.md"}
    base = reports.rename(project / "base") / "report.json"
    assert json.loads(base.read_text())["ok"]
    status, output, summary = run_action(project, python, path="pkg", against=str(base), **{"min-compared": "100%"})
    assert status == 1, output
    assert "less than 100%" in summary
    assert "No verdict and no label changed" in summary
    assert run_action(project, python, path="gone")[0] == 2


@pytest.mark.slow
def test_the_template(project, python):
    variables = JOB["variables"] | {"NP2JAX_SOURCE": f"{python[1]}[report,verify]", "NP2JAX_PATH": "pkg"}
    status, output = bash("\n".join(JOB["script"]), project, python[0], variables)
    assert status == 0, output
    (artefacts,) = JOB["artifacts"]["paths"]
    assert (project / artefacts / "report.html").is_file()
    assert (project / JOB["artifacts"]["reports"]["junit"]).is_file()
    status, output = bash("\n".join(JOB["script"]), project, python[0], variables | {"NP2JAX_MIN_COMPARED": "100%"})
    assert status == 1, output


def test_the_page_names_what_they_have():
    github, gitlab = EXAMPLES
    (step,) = (step for step in github["jobs"]["np2jax"]["steps"] if "/np2jax@" in step.get("uses", ""))
    assert step["with"].keys() <= ACTION["inputs"].keys()
    job = gitlab["np2jax"]
    assert job["extends"] == ".np2jax"
    assert job["variables"].keys() <= JOB["variables"].keys()
    page = (ROOT / "docs/ci.md").read_text()
    assert set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == {*ACTION["inputs"], *JOB["variables"]}
