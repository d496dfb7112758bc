"""Functions that attributes and arguments of methods hold: their calls in loops, by name, where the method finds exactly these."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

PARTS = """
import numpy as np


def pendulum(t, y):
    return np.array([y[1], -9.81 * np.sin(y[0])])


def decay(t, y):
    return -y * t


class Integrator:
    def __init__(self, f, dt):
        self.f = f
        self.dt = dt

    def step(self, t, y):
        raise NotImplementedError

    def solve(self, y0, n):
        t, y = 0.0, np.array(y0, dtype=float)
        ts, ys = [t], [y]
        for k in range(n):
{loop}            t = t + self.dt
            ts.append(t)
            ys.append(y)
        return np.array(ts), np.array(ys)

    def descend(self, grad, x0, n):
        x = np.array(x0, dtype=float)
        for _ in range(n):
            x = x - self.dt * grad(0.5, x)
            x = x + self.step(0.1, x) * 0.1
        return x


class Euler(Integrator):
    def step(self, t, y):
        return y + self.dt * self.f(t, y)


class Midpoint(Integrator):
    def step(self, t, y):
        half = y + self.dt / 2 * self.f(t, y)
        return y + self.dt * self.f(t + self.dt / 2, half)


def example():
    solver = Midpoint(pendulum, 0.1)
    return solver.descend(decay, [1.0, 0.0], 3), Euler(pendulum, 0.1).solve([1.0, 0.0], 3)
"""
STEP = "            y = self.step(t, y)\n"


def check(kind, change=None, n=20, loop=STEP, f="pendulum", grad="decay"):
    source = PARTS.format(loop=loop)
    text = convert(source, placement="fast")[0]
    results = []
    for names in (run(text), run(source)):
        solver = names[kind](names[f], 0.1)
        if change is not None:
            change(solver, names)
        results.append((solver.solve([1.0, 0.2], n), solver.descend(names[grad], [1.0, 0.2], n)))
    assert not compare_values(*results), text
    return text


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", ["Euler", "Midpoint"])
@pytest.mark.parametrize("n", [0, 1, 20])
def test_the_loops_are_compiled(kind, n):
    text = check(kind, n=n)
    assert "type(self) is Euler and n > 0 and self.f is pendulum" in text
    assert "and grad is decay and self.f is pendulum" in text
    assert "_solve_loop(" in text


def other_function(solver, _names):
    solver.f = lambda _t, y: y * 0.5


def subclass(solver, names):
    class Heun(names["Euler"]):
        def step(self, t, y):
            return y * 0.9

    solver.__class__ = Heun


@pytest.mark.parametrize("change", [other_function, subclass])
def test_what_the_attribute_holds_when_it_runs(change):
    check("Euler", change)


def test_another_argument_than_in_the_project():
    check("Euler", grad="pendulum")


@pytest.mark.parametrize(
    "loop",
    [f"{STEP}            self.f = decay\n", "            y = np.apply_along_axis(lambda x: self.f(t, x), 0, y)\n"],
    ids=["another function for the next iteration", "a function that is passed on"],
)
def test_loops_that_stay_as_they_are(loop):
    text = check("Euler", loop=loop)
    assert "self.f is pendulum:" not in text.partition("def descend")[0].partition("class Integrator")[2]


NET = """
import numpy as np


def relu(x):
    return np.maximum(x, 0)


class Net:
    def __init__(self, n, act=np.tanh, out=relu):
        self.act = act
        self.out = out
        self.W = np.cos(np.arange(n * n)).reshape(n, n)
        self.x = np.zeros(n)

    def step(self, u):
        self.x = self.act(self.W @ self.x + u)
        return self.out(self.x)

    def run(self, us):
        ys = np.zeros((len(us), len(self.x)))
        for t in range(len(us)):
            ys[t] = self.step(us[t])
        return ys

    def repeat(self, x, n, f=np.cos):
        for _ in range(n):
            x = f(self.W @ x)
        return x
"""


@pytest.mark.quick(3)
@pytest.mark.parametrize("given", [{}, {"act": np.sin}, {"act": lambda x: x * 0.5, "out": np.abs}])
@pytest.mark.parametrize("n", [0, 1, 9])
def test_functions_that_are_defaults(given, n):
    text = convert(NET, placement="fast")[0]
    assert "self.act is np.tanh and self.out is relu" in text
    assert "and f is np.cos" in text
    us, results = np.sin(np.arange(n * 3.0)).reshape(n, 3), []
    for names in (run(text), run(NET)):
        net = names["Net"](3, **given)
        results.append((net.run(us), net.x, net.repeat(np.ones(3), n), net.repeat(np.ones(3), n, np.sin)))
    assert not compare_values(*results), text


def test_a_variable_that_may_be_no_array_before_the_loop():
    """Items of a type that is not known stay in the list as they are."""
    source = PARTS.format(loop=STEP).replace(
        "        ts, ys = [t], [y]\n", "        y, _rest = divmod(y0, 1.0)\n        ts, ys = [t], [y]\n"
    )
    text = convert(source, placement="fast")[0]
    assert "ys_items" not in text
    results = [names["Euler"](names["decay"], 0.1).solve(2.5, 4) for names in (run(text), run(source))]
    assert not compare_values(*results), text
