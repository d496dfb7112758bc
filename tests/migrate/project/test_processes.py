"""Programs of a project in several processes: the results are those of one."""

import os

import pytest

from np2jax.migrate.project import processes
from np2jax.migrate.project.driver import CommandLine, gather
from np2jax.migrate.project.failure import Failure
from np2jax.migrate.project.linting import analyse_for_lint
from np2jax.migrate.project.processes import balanced, in_processes
from np2jax.migrate.project.rule_selection import resolve

JAX = "import jax\n\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n"
NUMPY = "import numpy as np\n\n\ndef f(x):\n    x[0] = np.sqrt(x[0])\n    return x\n"
FILES = {
    "one/pyproject.toml": "",
    "one/a.py": JAX,
    "one/b.py": f"import a\n{JAX}",
    "two/c.py": JAX,
    "three/d.py": NUMPY,
    "four/e.py": NUMPY,
}


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(processes, "WORTH", 0)


def test_several_processes_find_what_one_finds(tree, few):
    root = tree(FILES)

    def linted(jobs):
        project, options = gather([root], CommandLine(placement="device", jobs=jobs), whole=True)
        return [(file.path, file.diagnostics) for file in analyse_for_lint(project, resolve(options)).files]

    alone = linted(1)
    assert sum(len(found) for _path, found in alone) > 6
    assert linted(2) == linted(0) == alone


def test_results_keep_their_order(few):
    assert in_processes(abs, [-3, 1, -2], [1, 5, 3], 2) == [3, 1, 2]
    assert in_processes(abs, [-3], [1], 2) == [3]


def test_little_work_starts_no_process(monkeypatch):
    monkeypatch.setattr(processes, "context", None)
    assert in_processes(abs, [-3, 1], [processes.WORTH, processes.WORTH - 1], 2) == [3, 1]


def test_a_process_that_dies_is_a_failure(few):
    with pytest.raises(Failure, match="try -j 1"):
        in_processes(leave, [1, 2], [1, 1], 2)


def leave(status):
    os._exit(status)


def test_parts_are_about_the_same_size():
    groups = [(name, size) for name, size in zip("abcdefgh", [8, 7, 6, 5, 4, 3, 2, 1], strict=True)]
    assert sorted(sum(dict(groups)[name] for name in part) for part in balanced(groups, 1)) == [9, 9, 9, 9]
    assert balanced([("a", 3)], 2) == [["a"]]
