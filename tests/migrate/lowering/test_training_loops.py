"""Methods as in libraries of machine learning: attributes that a loop trains, and lists of attributes that it fills."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

MODEL = """
class {name}:
    def __init__(self, rate=0.1, rounds=20, verbose=False):
        self.rate, self.rounds, self.verbose = rate, rounds, verbose

    def loss(self, e):
        return 0.5 * np.mean(e**2)

    def fit(self, x, y):
        n, m = x.shape
        self.w = np.zeros(m)
        self.b = {start}
        self.losses = []
        for i in range(self.rounds):
            e = np.dot(x, self.w) + self.b - y
            self.w -= self.rate * (1 / n) * np.dot(x.T, e)
            self.b -= self.rate * (1 / n) * np.sum(e)
            {loss}
        return self
"""
R = np.random.default_rng(0)
X = R.normal(size=(30, 3))
Y = X[:, 0] - X[:, 1] + 0.1
LOSSES = [
    "self.losses.append(0.5 * np.mean(e**2))",
    "self.losses.append(self.loss(e))",
    "self.losses.append(float(self.loss(e)))",
    "loss = self.loss(e)\n            if self.verbose and i % 10 == 0:\n                print(i, loss)",
    "self.losses.append(self.loss(e))\n            if self.verbose and i % 10 == 0:\n                print(i, self.losses[-1])",
]


def models(*filled):
    """A file of models: each with its own start of the bias, and its own statements for the losses."""
    return "import numpy as np\n" + "".join(
        MODEL.format(name=f"Model{k}", start=start, loss=loss) for k, (start, loss) in enumerate(filled)
    )


def check(text, name, rounds):
    made = convert(text, placement="fast")[0]
    before = run(text)[name](rounds=rounds).fit(X, Y)
    after = run(made)[name](rounds=rounds).fit(X, Y)
    assert not compare_values(vars(after), vars(before))
    return made


@pytest.mark.parametrize("start", ["0", "0.0"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_model(start, loss):
    for rounds in (0, 1, 12):
        made = check(models((start, loss)), "Model0", rounds)
    assert "jax.jit" in made


def test_several_models_of_a_file():
    """What becomes of one of them says nothing of the others."""
    filled = [(start, loss) for loss in LOSSES for start in ("0", "0.0")]
    text = models(*filled)
    made = check(text, "Model0", 5)
    assert made.count("def _fit_loop") == len(filled)
    for k in range(len(filled)):
        check(text, f"Model{k}", 5)


PERCEPTRON = """
import numpy as np


class Perceptron:
    def __init__(self, rounds):
        self.rounds = rounds

    def fit(self, x, y):
        self.w = np.zeros(1 + x.shape[1])
        self.errors = []
        for _ in range(self.rounds):
            errors = 0
            for row, target in zip(x, y):
                update = 0.1 * (target - self.predict(row))
                self.w[1:] += update * row
                self.w[0] += update
                errors += int(update != 0.0)
            self.errors.append(errors)
        return self

    def net(self, x):
        return np.dot(x, self.w[1:]) + self.w[0]

    def predict(self, x):
        return np.where(self.net(x) >= 0.0, 1, -1)
"""


def test_rows_of_two_arguments():
    made = convert(PERCEPTRON, placement="fast")[0]
    assert "jax.jit" in made
    for rounds in (0, 1, 9):
        before = run(PERCEPTRON)["Perceptron"](rounds).fit(X, np.sign(Y))
        after = run(made)["Perceptron"](rounds).fit(X, np.sign(Y))
        assert not compare_values(vars(after), vars(before)) and list(map(type, after.errors)) == list(map(type, before.errors))


CHAIN = """
import numpy as np


class Chain:
    def __init__(self, n, stiffness=1.0):
        self.n, self.stiffness = n, stiffness
        self.x = np.sin(np.arange(n))
        self.v = np.zeros(n)

    def force(self, x):
        f = np.zeros(self.n)
        for i in range(1, self.n - 1):
            f[i] = -self.stiffness * (2 * x[i] - x[i - 1] - x[i + 1])
        return f

    def evolve(self, steps, dt=0.01):
        speeds = np.zeros(steps)
        for s in range(steps):
            self.v += dt * self.force(self.x)
            self.x += dt * self.v
            speeds[s] = np.sum(self.v**2)
        return speeds
"""


@pytest.mark.parametrize("n, steps", [(8, 20), (2, 5), (5, 0)])
def test_a_method_with_a_loop_of_its_own(n, steps):
    """Its compiled loop gets attributes of the object, as arguments."""
    made = convert(CHAIN, placement="fast")[0]
    assert "_evolve_loop" in made
    before, after = run(CHAIN)["Chain"](n), run(made)["Chain"](n)
    assert not compare_values(after.evolve(steps), before.evolve(steps)) and not compare_values(vars(after), vars(before))


FILTER = """
import numpy as np


class Filter:
    def __init__(self, F, H, x, P):
        self.F, self.H, self.x, self.P = F, H, x, P

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + 0.01

    def update(self, z):
        K = self.P @ self.H.T @ np.linalg.inv(self.H @ self.P @ self.H.T + 0.1)
        self.x = self.x + K @ (z - self.H @ self.x)
        self.P = self.P - K @ self.H @ self.P

    def run(self, zs):
        found = []
        for z in zs:
            self.predict()
            self.update(z)
            found.append(self.x)
        return {result}
"""


@pytest.mark.parametrize("result", ["np.array(found)", "found", "found[1:], self.x"])
def test_the_states_of_a_filter(result):
    text = FILTER.format(result=result)
    made = convert(text, placement="fast")[0]
    assert "_run_loop" in made
    args = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]]), np.zeros(2), np.eye(2)
    for zs in (R.normal(size=(9, 1)), R.normal(size=(2, 1)).tolist(), np.zeros((0, 1))):
        before, after = run(text)["Filter"](*args), run(made)["Filter"](*args)
        want, got = before.run(zs), after.run(zs)
        assert type(got) is type(want) and not compare_values(got, want) and not compare_values(vars(after), vars(before))


RESERVOIR = """
import numpy as np


class Reservoir:
    def __init__(self, n):
        self.W, self.b = np.cos(np.arange(n * n)).reshape(n, n) / n, np.sin(np.arange(2 * n)).reshape(n, 2)
        self.state = np.zeros(n)

    def advance(self, u):
        self.state = 0.7 * self.state + 0.3 * np.tanh({drive} + self.W @ self.state)
        return self.state

    def collect(self, us):
        out = np.zeros((len(us), len(self.state)))
        for t, u in enumerate(us):
            out[t] = self.advance(u)
        return out
"""


@pytest.mark.parametrize("drive", ["self.b @ np.array([1.0, u])", "(self.state - self.b[:, 0]) + u"])
def test_items_of_what_may_be_a_list(drive):
    text = RESERVOIR.format(drive=drive)
    made = convert(text, placement="fast")[0]
    assert "_collect_loop" in made
    for us in (np.arange(5.0), [0.5, -1.0, 2.0], np.zeros(0)):
        before, after = run(text)["Reservoir"](6), run(made)["Reservoir"](6)
        assert not compare_values(after.collect(us), before.collect(us)) and not compare_values(vars(after), vars(before))
