"""Lists that a loop in a function on the host fills: they move with the loop, and stay lists where not only arrays are made of them."""

import io
import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, copied, run

U = np.array([0.5, -1.0, 2.0])
FUNCTION = """
import numpy as np


def f(u, steps, log):
    print("start", file=log)
    sizes, times = [], []
    t = 0.0
    for k in range(steps):
        u = u - 0.1 * np.sin(u)
        t += 0.1
        sizes.append(np.sum(u**2))
        times.append(t)
    LAST
"""
CLASSES = """
import numpy as np


class Wave:
    def __init__(self, n):
        self.u, self.v, self.energy = np.linspace(0.0, 1.0, n), np.zeros(n), None

    def step(self, dt):
        self.v += dt * (np.roll(self.u, 1) + np.roll(self.u, -1) - 2 * self.u)
        self.u += dt * self.v

    def run(self, steps, dt=0.1):
        history, heights = [], []
        for k in range(steps):
            self.step(dt)
            history.append(0.5 * np.sum(self.v**2))
            heights.append(self.u.copy())
        self.energy = np.array(history)
        return self.energy, np.stack(heights) if steps > 0 else None


class Damped(Wave):
    def step(self, dt):
        self.v *= 0.9
        super().step(dt)


def f(name, steps):
    class Mine(Wave):
        def step(self, dt):
            self.u -= dt

    wave = {"Wave": Wave, "Damped": Damped, "Mine": Mine}[name](5)
    return wave.run(steps), wave.run(steps), wave.u, wave.v, wave.energy
"""


@pytest.mark.parametrize(
    "last",
    [
        "return u, np.array(sizes), np.array(times)",
        "return u, np.asarray(times), np.stack(sizes) if steps > 0 else None, np.array(sizes).shape",
    ],
)
def test_functions(last):
    source = FUNCTION.replace("LAST", last)
    made, functions, _diagnostics = convert(source, placement="fast")
    assert functions["f"].transform == "outlined" and "lax.scan" in made, made
    for steps in (0, 1, 7):
        one, other = (run(text)["f"](U.copy(), steps, io.StringIO()) for text in (source, made))
        assert not compare_values(other, one), steps


@pytest.mark.parametrize(
    "last",
    [
        "return sizes, np.array(times)",  # the caller gets a list
        "print(sizes, file=log)\n    return np.array(sizes), np.array(times)",
        "sizes.append(0.0)\n    return np.array(sizes), np.array(times)",
        "return [np.array(x) for x in (sizes, times)]",
        "return len(sizes), np.array(times)",
    ],
)
def test_lists_that_are_needed_as_lists(last):
    source = FUNCTION.replace("LAST", last)
    made = convert(source, placement="fast")[0]
    assert "lax.scan" in made
    (one, log), (other, same) = (
        (run(text)["f"](U.copy(), 3, out), out.getvalue()) for text in (source, made) for out in [io.StringIO()]
    )
    assert not compare_values(other, one) and log == same


def test_methods_of_classes():
    made = convert(CLASSES, placement="fast")[0]
    assert made.count("lax.scan") == 2, made
    for name in ("Wave", "Damped", "Mine"):
        for steps in (0, 1, 4):
            assert not compare_values(run(made)["f"](name, steps), run(CLASSES)["f"](name, steps)), (name, steps)


def test_a_list_of_an_earlier_iteration():
    """The other arm of an `if` runs after the loop where another loop encloses both."""
    source = textwrap.dedent("""
        import numpy as np

        def f(u, log):
            out = [5.0]
            for turn in range(4):
                print(turn, file=log)
                if turn % 2 == 0:
                    out = []
                    for k in range(3):
                        u = np.sin(u) + np.cos(u)
                        out.append(np.sum(u))
                    total = np.array(out)
                else:
                    print(type(out).__name__, out[0] == total[0], file=log)
            return total
    """)
    made = convert(source, placement="fast")[0]
    (one, log), (other, same) = (
        (run(text)["f"](copied(U), out), out.getvalue()) for text in (source, made) for out in [io.StringIO()]
    )
    assert not compare_values(other, one) and log == same
