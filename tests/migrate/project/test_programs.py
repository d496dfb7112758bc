"""Which files of a project are one program: those that imports connect."""

from pathlib import Path

import pytest

from np2jax.migrate.project.import_names import uniquely_named, with_siblings
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import convert_files
from np2jax.migrate.project.programs import programs

STEER = "import numpy as np\n\n\nclass Car:\n    def __init__(self):\n        self.limit = np.ones(3)\n\n    def steer(self):\n        {}\n"


def files_of(texts):
    modules = {name: name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in texts}
    return [ProjectFile(Path(name), modules[name], text.encode()) for name, text in texts.items()]


def found(texts):
    return [[str(file.path) for file in program] for program in programs(with_siblings(uniquely_named(files_of(texts))))]


@pytest.mark.parametrize(
    "text",
    [
        "import tool",
        "import os; import tool",
        "if True: import tool",
        "from tool import f",
        "from folder import tool",
        "from . import (  # those\n    tool,\n)",
        "from folder import \\\n    tool",
        "    import tool.part",
    ],
)
def test_imports_connect(text):
    assert found({"folder/run.py": f"{text}\n", "folder/tool.py": "", "folder/other.py": "x = 1\n"}) == [
        ["folder/run.py", "folder/tool.py"],
        ["folder/other.py"],
    ]


def test_a_package_is_one_program():
    assert found({"pkg/__init__.py": "", "pkg/a.py": "", "pkg/sub/__init__.py": "", "pkg/sub/b.py": "", "c.py": ""}) == [
        ["pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py"],
        ["c.py"],
    ]


def test_what_is_not_found_otherwise_may_be_on_the_path():
    texts = {"pkg/__init__.py": "", "pkg/tools/__init__.py": "", "pkg/tools/solver.py": "", "scripts/run.py": "import solver\n"}
    assert len(found(texts)) == 1
    assert len(found({**texts, "scripts/solver.py": ""})) == 2


def test_a_program_knows_nothing_of_another():
    calling = STEER.format("return self.limit * 2") + "\n\ndef go(car):\n    car.steer()\n"
    alone, *_ = convert_files(files_of({"a.py": calling}), Options()).files
    other = STEER.format("print(self.limit)\n        self.limit[0] = 2.0")
    together, *_ = convert_files(files_of({"a.py": calling, "b.py": other}), Options()).files
    assert together == alone


def test_files_and_functions_stay_in_order():
    text = "import numpy as np\n\n\ndef f(x):\n    return np.sin(x)\n"
    done = convert_files(files_of({"a.py": f"import c\n{text}", "b.py": text, "c.py": text}), Options())
    assert [str(file.path) for file in done.files] == ["a.py", "b.py", "c.py"]
    assert [function.file for function in done.functions] == ["a.py", "b.py", "c.py"]
