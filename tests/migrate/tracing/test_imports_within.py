"""What a context manager around imports may do to them: configurations of classes in place of the classes."""

import pytest

from np2jax.migrate.tracing.linter import JaxSource, chosen, findings

MODEL = "from flax import struct\n\n\n@struct.dataclass\nclass Trainer:\n    seed: int = 0\n"
USE = "import contextlib\nimport jax\nimport config\n\n{}\n    from model import Trainer\n\nmade = Trainer()\nmade.seed = 42\n"


def found(manager):
    sources = [
        JaxSource(f"{name}.py", name, False, text.encode()) for name, text in {"model": MODEL, "use": USE.format(manager)}.items()
    ]
    return [(each.code, each.line) for each in findings(sources, chosen((), ()))["use.py"]]


@pytest.mark.parametrize(
    "manager", ["if True:", "with contextlib.nullcontext():", "with config.lazy_imports():", "with config.lazy.imports:"]
)
def test_imports_that_stay_as_they_are(manager):
    assert found(manager) == [("NJ814", 9)]


@pytest.mark.parametrize(
    "manager", ["with config.imports():", "with config.imports(), contextlib.nullcontext():", "with config:"]
)
def test_a_manager_may_give_something_else(manager):
    assert found(manager) == []
