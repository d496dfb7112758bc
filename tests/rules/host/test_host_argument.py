"""An array that is given to kept code that changes it."""

from np2jax.tests.helpers.differential import convert, function, run
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(
    __name__,
    function("return np.sin(x)"),
    "import numpy as np\n\n\ndef g(x: np.ndarray):\n    return x + 1\n\n\ndef f(x: np.ndarray):\n    return g(x * 2)\n",
)

OPTIONAL = '''import numpy as np


class Filter:
    def __init__(self, n: int):
        self.x = np.zeros(n)
        self.control = None

    def predict(self, u=None, control=None):
        """Move on.

        Parameters
        ----------
        u : np.array
            control vector
        control : np.array, or None
            control matrix
        """
        if control is None:
            control = self.control
        if control is not None and u is not None:
            self.x = self.x + np.dot(control, u)
        self.x[0] += np.random.randint(2, dtype=bool)

    def run(self, us, controls=None):
        if controls is None:
            controls = [self.control] * len(us)
        out = np.zeros((len(us), len(self.x)))
        for i, (u, control) in enumerate(zip(us, controls)):
            self.predict(u=u, control=control)
            out[i, :] = self.x
        return out


def f(n: int):
    return Filter(n).run(np.ones((2, n))).shape
'''


def test_what_may_be_none_stays_none():
    made = convert(OPTIONAL, placement="device")[0]
    assert "np.asarray(control)" in made
    assert run(made)["f"](3) == run(OPTIONAL)["f"](3) == (2, 3)
