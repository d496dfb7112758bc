"""What the decorators of a project do with the functions that they get."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert_project, run

CODE = """
import functools
import numpy as np

STORED = {}


def exporter():
    names = []

    def decorator(obj):
        names.append(obj.__name__)
        return obj

    return decorator, names


def marked(f):
    f.marked = True
    return f


def register(name):
    def add(function):
        STORED[name] = function
        return function
    return add


def counted(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result = f(*args, **kwargs)
        return result
    return wrapper


def rounded(f):
    def wrapper(*args):
        return [round(float(v), 3) for v in f(*args)]
    return wrapper


def sometimes(f):
    if __debug__:
        return f
    return counted(f)


def renamed(f):
    f.__code__ = f.__code__.replace(co_name="other")
    return f


def outside(f):
    return np.vectorize(f)


class Replacement:
    def cite(self, *args, **kwargs):
        def same(function):
            return function
        return same

    def keep(self, function):
        STORED["kept"] = function
        return function

    def swapped(self):
        def same(function):
            return function
        return same

    def wild(self):
        return np.vectorize


Replacement.swapped = Replacement.wild
own = Replacement()

try:
    from duecredit import due
except ImportError:
    due = Replacement()

try:
    from compilers import fast
except ImportError:
    fast = Replacement()
"""

USE = """
import numpy as np
from .tools import counted, due, exporter, fast, marked, outside, own, register, renamed, rounded, sometimes

export, __all__ = exporter()


@DECORATOR
def smooth(x: np.ndarray):
    n = x.shape[0]
    out = np.zeros(n)
    for i in range(1, n):
        out[i] = x[i - 1] * 2.0 + out[i - 1] * 0.5
    return out


def caller(x: np.ndarray):
    return smooth(x)
"""

CHANGED = """

@rounded
def smooth(x):
    return np.cumsum(x) * 0.3337


def twice(x: np.ndarray):
    return np.sum(x) + smooth(x).index(0.0)
"""


def converted(decorator):
    texts, functions, _found = convert_project(
        {"p/__init__.py": "", "p/tools.py": CODE, "p/work.py": USE.replace("DECORATOR", decorator)}, placement="fast"
    )
    return texts["p/work.py"], functions["p.work.smooth"]


@pytest.mark.parametrize(
    "decorator", ["export", "exporter()[0]", "marked", 'register("smooth")', 'own.cite("a", where="b")', "own.keep"]
)
def test_a_function_that_its_decorator_returns_is_compiled(decorator):
    text, function = converted(decorator)
    if decorator == "exporter()[0]":  # not a name
        assert function.label == "host", function.reason
        return
    assert f"@{decorator}\n@_numpy_results\n@jax.jit\ndef smooth" in text, function.reason


def test_the_loop_of_a_function_that_a_wrapper_calls_is_outlined():
    text, function = converted("counted")
    assert "@counted\ndef smooth" in text and "_smooth_loop" in text, function.reason


@pytest.mark.parametrize("decorator", ["sometimes", "renamed", "outside", "own.swapped()", "own.wild()", "fast.cite()"])
def test_nothing_changes_where_it_is_not_known_what_a_decorator_does(decorator):
    text, function = converted(decorator)
    assert function.label == "host" and "lax" not in text


DUE = """
class Replacement:
    def dcite(self, *args, **kwargs):
        def nondecorating_decorator(func):
            return func
        return nondecorating_decorator


try:
    from duecredit import due
except Exception:
    due = Replacement()
"""


def test_a_replacement_of_an_import_and_what_it_replaces_do_the_same():
    texts, functions, _found = convert_project(
        {"p/__init__.py": "", "p/tools.py": DUE, "p/work.py": USE.replace("DECORATOR", 'due.dcite("a", description="b")')},
        placement="fast",
    )
    text = texts["p/work.py"]
    assert '@due.dcite("a", description="b")\n@_numpy_results\n@jax.jit\ndef smooth' in text, functions["p.work.smooth"].reason


def test_the_result_of_a_wrapper_that_changes_it_is_not_an_array():
    program = CODE + CHANGED
    text = convert_project({"m.py": program}, placement="device")[0]["m.py"]
    x = np.arange(4.0)
    compare_values(run(text)["twice"](x), run(program)["twice"](x))


SHELLS = '''

def exported(f):
    return f


def smooth(x: np.ndarray, out):
    for i in range(1, len(x)):
        out[i] = 0.5 * out[i - 1] + np.sin(x[i])


@exported
def fill(x, out):
    """Change an argument."""
    smooth(x, out)
    return out


@exported
def accept(x):
    """Accept lists.

    Parameters
    ----------
    x : array_like
    """
    y = np.sin(x) * np.cos(x) + np.exp(x)
    return y / (1.0 + y * y)


@register("masked")
@exported
def masked(x: np.ndarray):
    y = np.zeros(x.shape)
    y[x > 0.5] = np.sin(x[x > 0.5]) * np.cos(x[x > 0.5]) + 1.0
    return y


@exported
def uses_masked(x: np.ndarray):
    y = np.sin(x) * np.cos(x) + np.exp(x)
    return masked(y) * y + np.sqrt(y) * masked(x)


@exported
def drawn(n):
    z = np.random.normal(size=n)
    return np.sin(z) * np.cos(z) + np.exp(z)


@exported
def recurrence(x: np.ndarray, scale=2):
    total = 0.0
    for i in range(1, len(x)):
        total = total * 0.5 + x[i] * x[i - 1] * scale
    return total


x = np.linspace(0.1, 2.0, 7)
buffer = np.zeros(7)
same = fill(x, buffer)
np.random.seed(3)
results = [accept(x), accept([0.1, 0.2]), masked(x), uses_masked(x), drawn(4), recurrence(x), STORED["masked"](x), buffer, same]
kinds = [type(results[4]).__name__ == "ndarray", same is buffer]
'''


def test_what_a_caller_of_a_decorated_function_sees_is_the_same():
    program = CODE + SHELLS
    text = convert_project({"m.py": program}, placement="fast")[0]["m.py"]
    after, before = run(text), run(program)
    compare_values([np.asarray(r) for r in after["results"]], [np.asarray(r) for r in before["results"]])
    assert after["kinds"][1] == before["kinds"][1]
    assert "@exported\ndef accept" in text and "@jax.jit\ndef _accept" in text


def test_another_file_calls_a_decorated_function_with_all_that_it_may_get():
    files = {
        "p/__init__.py": "",
        "p/tools.py": CODE,
        "p/a.py": "import numpy as np\nfrom .tools import exporter, register\n\nexported, __all__ = exporter()\n"
        + SHELLS.partition("return f\n")[2].partition("x = np.linspace")[0],
        "p/b.py": "import numpy as np\nfrom . import a\n\n\ndef f(x: np.ndarray):\n    y = np.sin(x) * np.exp(x) + np.cos(x)\n"
        "    return a.masked(y) + a.recurrence(y) * a.accept(x)\n",
    }
    texts, functions, _found = convert_project(files, placement="fast")
    assert "a._masked_jax" not in texts["p/b.py"] or "def _masked_jax" in texts["p/a.py"]
    assert functions["p.a.recurrence"].label != "host", functions["p.a.recurrence"].reason


PATCHED = """
import numpy as np


def patched(cls):
    cls.gain = lambda self, x: x * 3.0
    return cls


@patched
class Filter:
    def __init__(self, w, rate):
        self.w, self.rate = np.array(w, dtype=float), rate

    def gain(self, x):
        return self.rate * x

    def run(self, rows: np.ndarray):
        if rows.ndim != 2:
            raise ValueError("rows")
        out = np.zeros(len(rows))
        for k in range(len(rows)):
            out[k] = self.w @ rows[k]
            self.w = self.w + self.gain(rows[k])
        return out


y = Filter([1.0, 0.5], 0.1).run(np.linspace(0.0, 1.0, 12).reshape(6, 2))
"""


@pytest.mark.parametrize("placement", ["fast", "device"])
def test_a_decorator_may_replace_methods_of_its_class(placement):
    text = convert_project({"m.py": PATCHED}, placement=placement)[0]["m.py"]
    compare_values(run(text)["y"], run(PATCHED)["y"])
