"""Methods are called on instances that their class makes of generated arguments, and that other methods have changed."""

import pytest

from np2jax.runtime_shim.verification.verify import verify

ORIGINAL = """
import numpy as np


class Model:
    def __init__(self, width: int, rate: float = 0.5):
        self.center = np.zeros(width)
        self.rate = rate
        self.scale = None

    def near(self, x):
        return np.abs(x - self.center) * self.scale < 1.0

    def fit(self, x):
        self.center = (x * 1.0).mean(axis=0)
        self.scale = (x * 1.0).std()

    def step(self, x):
        self.center = self.center + self.rate * (x - self.center)
        return self.center

    @property
    def size(self):
        return len(self.center)

    @classmethod
    def norm(cls, x):
        return np.sqrt((x * x).sum())


class Closed:
    def __init__(self):
        raise OSError("no device")

    def total(self, x):
        return np.sum(x)
"""
CONVERTED = ORIGINAL.replace("import numpy as np", "import jax.numpy as jnp").replace(" np.", " jnp.")


@pytest.fixture
def compared(tmp_path):
    def run(original, converted):
        for name, text in (("a", original), ("b", converted)):
            (tmp_path / name).mkdir()
            (tmp_path / name / "m.py").write_text(text)
        report = verify(tmp_path / "a", tmp_path / "b", timeout=5.0)
        return {one.name.removeprefix("m."): one for one in report.functions}

    return run


@pytest.mark.slow
def test_methods_are_compared_on_generated_instances(compared):
    found = compared(ORIGINAL, CONVERTED)
    assert {name for name, one in found.items() if one.verdict == "agrees"} == {
        f"Model.{name}" for name in ("__init__", "near", "fit", "step", "size", "norm")
    }
    assert "called on instances that were made of generated arguments" in found["Model.near"].notes
    closed = found["Closed.total"]
    assert closed.verdict == "not compared"
    assert "none of Closed could be made: the original accepted no generated call" in closed.reason
    assert "an instance of Closed" in closed.needs


@pytest.mark.slow
def test_what_a_method_does_wrong_is_found(compared):
    wrong = CONVERTED.replace("self.rate * (x - self.center)", "self.rate * (x + self.center)")
    wrong = wrong.replace("* self.scale < 1.0", "* self.scale < 1.5").replace("jnp.zeros(width)", "jnp.ones(width)")
    found = compared(ORIGINAL, wrong)
    assert [found[f"Model.{name}"].verdict for name in ("near", "step", "__init__")] == ["differs"] * 3


SHORT = """
import numpy as np


class Model:
    def __init__(self, width: int, rate: float = 0.5):
        self.center = np.zeros(width)
        self.rate = rate

    def step(self, x):
        self.center = self.center + self.rate * (x - self.center)
"""


def test_a_wrong_update_of_an_instance_is_found(compared):
    wrong = SHORT.replace("import numpy as np", "import jax.numpy as np").replace("(x - self.center)", "(x + self.center)")
    found = compared(SHORT, wrong)
    assert found["Model.step"].verdict == "differs"
    assert "argument `self` after the call.center" in found["Model.step"].reason


INHERITED = """
import numpy as np


class Descent:
    def step(self, gradient):
        raise NotImplementedError

    def fit(self, x, y, steps: int):
        w = np.zeros(x.shape[1])
        for _ in range(steps):
            w = w + self.step(x.T @ (x @ w - y))
        return w


class Plain(Descent):
    def __init__(self, rate=0.01):
        self.rate = rate

    def step(self, gradient):
        return -self.rate * gradient
"""


@pytest.mark.slow
def test_methods_of_abstract_classes_are_compared_on_instances_of_their_children(compared):
    wrong = (
        INHERITED.replace("import numpy as np", "import jax.numpy as jnp")
        .replace(" np.", " jnp.")
        .replace("w + self", "w * self")
    )
    assert compared(INHERITED, wrong)["Descent.fit"].verdict == "differs"


COUNTING = """
import numpy as np


class Spread:
    def __init__(self, size):
        self.count = 0
        self.rows = np.zeros(size)

    def add(self, row):
        self.count += 1
        self.rows = self.rows + row

    def mean(self):
        if self.count < 2:
            raise ValueError("too few rows")
        return self.rows / self.count
"""


@pytest.mark.slow
def test_methods_are_compared_on_instances_that_were_changed_several_times(compared):
    after = COUNTING.replace("import numpy as np", "import jax.numpy as jnp").replace(" np.", " jnp.")
    assert compared(COUNTING, after.replace("self.rows / self.count", "self.rows / 2"))["Spread.mean"].verdict == "differs"


SPAN = """
import numpy as np


class Span:
    def __init__(self, low: float):
        self.low = low

    def __eq__(self, other):
        return self.low == other.low
"""


@pytest.mark.slow
def test_a_special_method_that_every_object_has_is_missing(compared):
    after = SPAN.replace("import numpy as np", "import jax.numpy as jnp")
    found = compared(SPAN, after.partition("    def __eq__")[0])["Span.__eq__"]
    assert (found.verdict, found.reason) == ("differs", "the converted code does not have it")


BUFFER = """
import numpy as np


class Buffer:
    def __init__(self, size: int):
        self.rows = np.zeros(size)

    def push(self, value: float):
        self.rows = self.rows + value
        return self.rows.copy()


def kept(x: np.ndarray):
    return x.ravel(), x[1:]


def copied(x: np.ndarray):
    return {"x": np.array(x)}
"""


@pytest.mark.slow
def test_a_result_that_shares_its_memory_with_an_argument(compared):
    """Who changes the result changes the argument, or the instance."""
    after = BUFFER.replace("rows.copy()", "rows").replace("np.array(x)", "np.asarray(x)").replace("x.ravel()", "x.reshape(-1)")
    found = compared(BUFFER, after)
    assert found["kept"].verdict == found["Buffer.__init__"].verdict == "agrees"
    for name, holder in (("Buffer.push", "self"), ("copied", "x")):
        assert f"it shares its memory with `{holder}`: the original returns a copy" in found[name].reason, found[name]
