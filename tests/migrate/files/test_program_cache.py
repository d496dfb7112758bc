"""Lint of a few files says what lint of the whole project says about them, whatever is known from before, and whatever changed since."""

import json
import random

import pytest

from np2jax.migrate.files.lint_run import find
from np2jax.migrate.project import pipeline
from np2jax.migrate.project.driver import CommandLine

PROJECT = {
    "pyproject.toml": "",
    "pkg/__init__.py": "from .core import scale\n",
    "pkg/core.py": (
        "import numpy as np\n\nLIMIT = 3.0\n\n\ndef scale(x, by=LIMIT):\n    x *= by\n    return np.sqrt(x)\n\n\n"
        "def total(x):\n    s = 0.0\n    for i in range(len(x)):\n        s += x[i] * x[i]\n    return s\n"
    ),
    "pkg/model.py": (
        "import numpy as np\n\nfrom .core import scale, total\n\n\nclass Model:\n    def __init__(self, n: int):\n"
        "        self.w = np.zeros(n)\n\n    def step(self, x):\n        self.w[0] = total(x)\n        return scale(x) + self.w\n"
    ),
    "pkg/noise.py": (
        "import numpy as np\n\nfrom . import core\n\n\ndef noisy(x):\n    return core.scale(x) + np.random.normal(size=len(x))\n"
    ),
    "run.py": "import numpy as np\n\nfrom pkg.model import Model\n\nmodel = Model(3)\nprint(model.step(np.ones(3)))\n",
    "alone/walk.py": (
        "import numpy as np\n\n\nclass Walker:\n    def step(self, x):\n        self.w = x.copy()\n        self.w[:] = 0\n"
        "        print(x)\n        return np.random.rand(3)\n"
    ),
    "alone/use.py": "import numpy as np\n\nfrom walk import Walker\n\nnp.random.seed(0)\nprint(Walker().step(np.ones(3)))\n",
}
EDITS = (  # what is written for what
    ("x *= by", "x = x * by"),
    ("def scale(x, by=LIMIT)", "def scale(x, by)"),
    ("LIMIT = 3.0", "LIMIT = 3"),
    ("return np.sqrt(x)", "return x.tolist()"),
    ("import numpy as np", "import numpy"),
    ("for i in range(len(x)):", "while s < 3:"),
    ("np.random.seed(0)", "np.random.seed(1)"),
    ("from .core import scale, total", "from .core import total\nfrom .noise import noisy as scale"),
    ("n: int", "n"),
    ("total", "energy"),
    ("Model", "Machine"),
    ("return", "return 2 *"),
    ("np.ones(3)", "[1.0, 2.0, 3.0]"),
    ("print(x)", "x += 1"),
    ("def step(self, x):", "def step(self, x, y=None):"),
    ("\n\n\n", "\n\n# np2jax: ignore\n\n"),
)


def linted(root, names, folder):
    lint = find([root / name for name in names], CommandLine(placement="device"), folder).lint
    return sorted(lint.diagnostics), sorted(lint.errors)


def edited(texts, chance):
    """The files after a random change: in one of them, of a name, or of the files that there are."""
    name = chance.choice(sorted(name for name in texts if name.endswith(".py")))
    kind = chance.random()
    if kind < 0.1 and len(texts) > 5:
        del texts[name]
    elif kind < 0.2:
        texts[f"{name.removesuffix('.py')}_{len(texts)}.py"] = texts.pop(name)
    else:
        before, after = chance.choice([pair for pair in EDITS if pair[0] in texts[name]] or [("\n", "\n\n")])
        texts[name] = texts[name].replace(before, after, chance.choice([1, -1]))


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 20))])
def test_a_lint_of_changed_files_says_what_a_lint_of_the_project_says(tmp_path, seed):
    chance, texts, root = random.Random(seed), dict(PROJECT), tmp_path / "project"
    for _ in range(8):
        for path in root.rglob("*.py"):
            path.unlink()
        for name, text in texts.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        names = sorted(name for name in texts if name.endswith(".py"))
        few = chance.sample(names, min(3, len(names)))
        findings, errors = linted(root, ["."], None)
        asked = {str(root / name) for name in few}
        expected = [item for item in findings if item.path in asked], [error for error in errors if error[0] in asked]
        assert linted(root, few, tmp_path / "cache") == expected
        assert linted(root, few, None) == expected
        edited(texts, chance)


@pytest.fixture
def converted(monkeypatch):
    """The files that are converted, by program."""
    found, before = [], pipeline._whole

    def whole(files, *given):
        found.append([file.path.name for file in files])
        return before(files, *given)

    monkeypatch.setattr(pipeline, "_whole", whole)
    return found


def test_only_programs_of_the_files_are_converted_and_only_once(tree, tmp_path, converted):
    root, folder = tree(PROJECT), tmp_path / "cache"
    linted(root, ["alone/use.py"], folder)
    assert converted.pop() == ["use.py", "walk.py"]
    linted(root, ["."], folder)
    assert converted.pop() == ["__init__.py", "core.py", "model.py", "noise.py", "run.py"]
    (root / "pkg/core.py").write_text("")
    found = linted(root, ["alone/walk.py"], folder)
    assert converted == []
    assert found == linted(root, ["alone/walk.py"], None)


DAMAGE = {
    "empty": lambda text: "",
    "deep": lambda text: "[" * 100_000,
    "nothing": lambda text: "[[], []]",
    "objects": lambda text: '[{"a": 1}, 2]',
    "null": lambda text: "null",
    "text for a line": lambda text: text.replace('"line": ', '"line": "x", "other": '),
    "fraction for a column": lambda text: text.replace('"column": ', '"column": 0.5, "other": ', 1),
}
OF_PROGRAMS = {
    **DAMAGE,
    "fewer files": lambda text: json.dumps([json.loads(text)[0][1:], []]),
    "other files": lambda text: text.replace("core.py", "elsewhere.py"),
    "numbers for reasons": lambda text: json.dumps([json.loads(text)[0], [3]]),
}


@pytest.mark.parametrize(
    ("places", "damage"),
    [*(("*.json", each) for each in DAMAGE.values()), *(("programs/*.json", each) for each in OF_PROGRAMS.values())],
    ids=[*DAMAGE, *(f"program: {name}" for name in OF_PROGRAMS)],
)
def test_a_damaged_file_is_as_good_as_none(tree, tmp_path, places, damage):
    root, folder = (
        tree({name: PROJECT[name] for name in ("pyproject.toml", "pkg/__init__.py", "pkg/core.py")}),
        tmp_path / "cache",
    )
    expected = linted(root, ["pkg/core.py"], folder)
    if places != "*.json":
        for path in folder.glob("*.json"):
            path.unlink()
    for path in folder.glob(places):
        path.write_text(damage(path.read_text()))
    assert linted(root, ["pkg/core.py"], folder) == expected


def test_a_folder_that_cannot_be_written_is_no_error(tree, tmp_path):
    root = tree(PROJECT)
    (tmp_path / "cache").write_text("")
    assert linted(root, ["pkg/core.py"], tmp_path / "cache")[0]
