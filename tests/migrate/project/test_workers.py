"""Several processes convert as one does, end, and say so in one line when one of them is gone."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from np2jax.migrate.project import workers
from np2jax.migrate.project.failure import Failure
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import convert_files

CONSTANTS = """\
import numpy as np

SIZE = 4
GRID = np.linspace(0.0, 1.0, SIZE)
"""
STEPS = """\
import numpy as np

from pkg.constants import GRID


def shift(state, step):
    state += step * GRID
    return state.sum()


def halve(x, times):
    return x if times == 0 else halve(x / 2, times - 1)
"""
MODEL = """\
import numpy as np

from pkg.steps import halve, shift


class Model:
    def __init__(self, size):
        self.state = np.zeros(size)

    def advance(self, steps):
        total = 0.0
        for _ in range(steps):
            total += shift(self.state, 0.1)
        return halve(total, 2)


def main():
    print(Model(4).advance(3))


if __name__ == "__main__":
    main()
"""
IN_A_CHILD = """
import sys
from pathlib import Path

from np2jax.migrate.project import workers
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import convert_files

workers.WORTH = 0
files = [ProjectFile(Path(f"{n}.py"), n, b"import numpy as np\\n\\n\\ndef f(x):\\n    return np.sin(x)\\n") for n in ("a", "b")]
done = convert_files(files, Options(jobs=2))
print(*(f.data is not None for f in done.files))
"""


@pytest.fixture
def files(monkeypatch):
    monkeypatch.setattr(workers, "WORTH", 0)
    texts = {"pkg": "", "pkg.constants": CONSTANTS, "pkg.steps": STEPS, "pkg.model": MODEL}
    paths = {name: Path(*name.split(".")).with_suffix(".py") for name in texts} | {"pkg": Path("pkg", "__init__.py")}
    return [ProjectFile(paths[name], name, text.encode()) for name, text in texts.items()]


def test_two_jobs_are_two_processes_that_end(files):
    with workers.started(files, 2) as shards:
        assert len(multiprocessing.active_children()) == 2
        assert sorted(summary.name for summary in shards.read()) == sorted(file.module for file in files)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [2, 3])
def test_several_processes_convert_as_one_does(files, jobs):
    alone = convert_files(files, Options(jobs=1))
    assert any(file.data is not None for file in alone.files)
    assert convert_files(files, Options(jobs=jobs)) == alone


def test_a_conversion_with_workers_ends():
    done = subprocess.run([sys.executable, "-c", IN_A_CHILD], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "True True"), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_worker_that_is_killed_is_a_failure_of_one_line(files):
    with workers.started(files, 2) as shards:
        victim = multiprocessing.active_children()[0]
        os.kill(victim.pid, signal.SIGKILL)
        victim.join()
        with pytest.raises(Failure, match=r"a worker process ended.*-j 1") as caught:
            shards.read()
    assert "\n" not in str(caught.value)
    assert not multiprocessing.active_children()


def test_small_projects_start_no_process(files, monkeypatch):
    monkeypatch.setattr(workers, "WORTH", 200_000)
    with workers.started(files, 2):
        assert not multiprocessing.active_children()
