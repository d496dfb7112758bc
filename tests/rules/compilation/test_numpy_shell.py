"""Functions that files call which are not converted: the program as a whole runs as before, with the same kinds of values there."""

import textwrap

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import CONVERTED, compare_values, convert_project
from np2jax.tests.helpers.observed import run_modules, seen
from np2jax.tests.helpers.rule_examples import example_of

HEAD = "import numpy as np\n\n\n"
CALL = "import numpy as np\nfrom m import energy\n\nprint(energy(np.ones(3), np.ones(3)))\n"
test_example = example_of(__name__, beside={"u.py": CALL}, placement="fast")
WORK = "y = np.sqrt(np.abs(x)) * 2.0 + np.exp(np.negative(x))\ny = y * np.sin(y) + np.cos(y) ** 2"


def function(body, params="x: np.ndarray", name="f"):
    lines = "".join(f"    {line}\n" for line in [*WORK.split("\n"), *body.strip("\n").split("\n")])
    return f"def {name}({params}):\n{lines}\n\n"


def kinds(value):
    """The types in a value. A NumPy float may stand for Python's, of which it is a subclass."""
    if isinstance(value, (list, tuple)):
        return type(value), [kinds(v) for v in value]
    if isinstance(value, dict):
        return {key: kinds(v) for key, v in value.items()}
    return float if isinstance(value, float) else type(value)


def same_program(sources, unselected, **options):
    """Convert some files of a program and run it before and after: all values in the other files are the same, of the same kinds."""
    sources = {name: textwrap.dedent(text) for name, text in sources.items()}
    texts, functions, _diagnostics = convert_project(sources, unselected, **options)
    shown = "\n".join(f"# --- {name}\n{text}" for name, text in texts.items())
    before, after = run_modules(sources), run_modules(texts)
    for name in (name.removesuffix(".py").replace("/", ".").removesuffix(".__init__") for name in unselected):
        for variable, value in vars(before[name]).items():
            if variable.startswith("__") or callable(value) or isinstance(value, type(np)):
                continue
            value, got = seen(value), seen(vars(after[name])[variable])
            assert kinds(got) == kinds(value), f"{name}.{variable}: {kinds(got)}\n{shown}"
            difference = compare_values(got, value, f"{name}.{variable}")
            assert not difference, f"{difference}\n{shown}"
    return texts, functions


X = "np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])"
RESULTS = {
    "an array": ("return y", f"f({X})"),
    "a number": ("return np.sum(y)", f"f({X})"),
    "a row": ("return y[0]", f"f({X})"),
    "one element or a row": ("return y[0] * 2", "f(np.array([1.0, 2.0])), f(np.ones((2, 2)))"),
    "several": ("return y, np.sum(y), y.T", f"f({X})"),
    "a Python number beside arrays": ("return y, y.shape[0]", f"f({X})"),
    "Python numbers and bools": ("return y, len(y) > 1, 1.5", f"f({X})"),
    "a list": ("return [y, y * 2]", f"f({X})"),
    "a dict": ('return {"b": y, "a": y.sum()}', f"f({X})"),
    "integers": ("return np.sum(np.sign(y)).astype(int), np.argsort(y)", f"f({X})"),
    "a branch": ("if np.sum(y) > 1.0:\n    return y\nreturn -y", f"f({X})"),
    "nan and inf": ("return y", "f(np.array([np.nan, np.inf, -np.inf, 0.0]))"),
    "empty": ("return y", "f(np.empty((0, 3)))"),
    "0-d": ("return y", "f(np.array(2.0))"),
    "a number given": ("return y", "f(2.0)"),
    "a list given": ("return y", "f([1.0, 2.0, 3.0])"),
    "complex": ("return y", "f(np.array([1 + 2j, -1j]))"),
    "float32": ("return y", "f(np.array([1.0, 2.0], np.float32))"),
    "nothing": ("print(y)", f"f({X})"),
    "text": ('return "a" if y.ndim else "b"', f"f({X})"),
}


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("which", RESULTS)
def test_results_are_of_the_same_kind(which, placement):
    body, call = RESULTS[which]
    params = "x" if which.endswith("given") else "x: np.ndarray"
    same_program(
        {"a.py": HEAD + function(body, params), "b.py": f"{HEAD}from a import f\n\nr = {call}\n"}, ["b.py"], placement=placement
    )


USES = {
    "writes into it": "r = f(x)\nr[0] = 5.0\nr += 1\n",
    "keeps two names": "r = f(x)\ns = r\ns -= 2.0\n",
    "passes it to a function that writes": "def clear(v):\n    v[0] = 0\n\n\nr = f(x)\nclear(r)\n",
    "maps it": "r = list(map(f, [x, 2 * x]))\nr[0][0] = 1.0\n",
    "keeps it in a table": "T = {'f': f}\nr = T['f'](x)\nr[0] = 1.0\nT = None\n",
    "calls it by keyword": "r = f(x=x)\nr.sort()\n",
    "asks for its type": "r = isinstance(f(x), np.ndarray), type(f(x)).__name__\n",
    "writes into what it passed": "r = f(x)\nx[0] = 9.0\ns = f(x)\n",
}


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("use", USES)
def test_other_files_may_do_with_results_what_they_did(use, placement):
    program = {"a.py": HEAD + function("return y"), "b.py": f"{HEAD}from a import f\n\nx = {X}\n{USES[use]}"}
    texts, functions = same_program(program, ["b.py"], placement=placement)
    repeated = use == "maps it" and placement == "fast"  # Python calls it again and again, and it does too little for that
    assert (functions["a.f"].label in CONVERTED) != repeated or use == "keeps it in a table"
    assert texts["b.py"] == program["b.py"]


OTHERS = {
    "in the same file": {"a.py": "def g(x: np.ndarray):\n    return np.cumsum(f(x)) * np.exp(f(2 * x)).sum()\n"},
    "by its name": {"c.py": "from a import f\n\n\ndef g(x: np.ndarray):\n    return np.cumsum(f(x)) * np.exp(f(2 * x)).sum()\n"},
    "by another name": {
        "c.py": "from a import f as h\n\n\ndef g(x: np.ndarray):\n    return np.cumsum(h(x)) * np.exp(h(2 * x)).sum()\n"
    },
    "of its module": {"c.py": "import a\n\n\ndef g(x: np.ndarray):\n    return np.cumsum(a.f(x)) * np.exp(a.f(2 * x)).sum()\n"},
    "imported in a function": {
        "c.py": "def g(x: np.ndarray):\n    from a import f\n\n    return np.cumsum(f(x)) * np.exp(f(2 * x)).sum()\n"
    },
    "beside a name of the core": {
        "c.py": "from a import f\n\n_f = 3\n\n\ndef g(x: np.ndarray):\n    return np.cumsum(f(x)) * np.exp(f(2 * x)).sum() * _f\n"
    },
    "with a list": {
        "c.py": "from a import f\n\n\ndef g(x: np.ndarray):\n    return np.cumsum(f([x[0, 0], x[0, 1]])) * np.exp(x).sum()\n"
    },
    "as a value": {"c.py": "from a import f\n\n\ndef g(x: np.ndarray):\n    return np.cumsum(sum([h(x) for h in (f, f)]))\n"},
}


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("how", OTHERS)
def test_converted_code_calls_it_too(how, placement):
    sources = {"a.py": HEAD + function("return y", "x")}
    for name, text in OTHERS[how].items():
        sources[name] = sources.get(name, HEAD) + text
    user = "a" if how == "in the same file" else "c"
    sources["b.py"] = f"{HEAD}from a import f\nfrom {user} import g\n\nx = {X}\nr = f(x)\nr[0] = 1.0\ns = g(x)\ns[0] = 2.0\n"
    same_program(sources, ["b.py"], placement=placement)


def test_the_core_is_called_where_the_caller_is_compiled():
    sources = {
        "a.py": HEAD + function("return y"),
        "c.py": HEAD + OTHERS["by its name"]["c.py"],
        "b.py": f"from a import f\n\nf({X})\n",
    }
    texts, functions, _diagnostics = convert_project(sources, ["b.py"], placement="fast")
    assert {name: outcome.transform for name, outcome in functions.items()} == {"a.f": "jit", "c.g": "jit"}
    assert "from a import _f\n" in texts["c.py"]
    assert "jnp.exp(_f(2 * x))" in texts["c.py"]


KEPT = {
    "it changes its arguments": ("def f(x: np.ndarray):\n    x += np.cumsum(np.exp(x))\n", "f(x)\n"),
    "used as a value": ("def f(x: np.ndarray):\n    x += np.cumsum(np.exp(x))\n", "r = list(map(f, [x]))\n"),
    "it draws random numbers": (
        "def f(x: np.ndarray):\n    return np.cumsum(np.exp(x)) * np.random.rand()\n",
        "np.random.seed(1)\nr = f(x)\n",
    ),
}


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("why", KEPT)
def test_what_no_shell_can_keep_stays_numpy(why, placement):
    text, use = KEPT[why]
    sources = {"a.py": HEAD + text, "b.py": f"{HEAD}from a import f\n\nx = np.array([1.0, 2.0])\n{use}"}
    texts, functions = same_program(sources, ["b.py"], placement=placement)
    assert text in texts["a.py"]
    assert functions["a.f"].codes[0] in ("NJ226", "NJ208", "NJ301", "NJ506")
    assert why in functions["a.f"].reason


OBJECTS = {
    "a method": ("r = a.C(x).step()\nr[0] = 1.0\n"),
    "an attribute": ("c = a.C(x)\nr = c.w\nr[0] = 1.0\n"),
    "a property": ("r = a.C(x).twice\nr[0] = 1.0\n"),
    "a method of an unknown object": ("def run(o):\n    return o.step()\n\n\nr = run(a.C(x))\nr[0] = 1.0\n"),
    "a subclass": (
        "class D(a.C):\n    def step(self):\n        y = super().step()\n        y[0] = 3.0\n        return y\n\n\nr = D(x).step()\n"
    ),
    "a variable": ("r = a.TABLE\nr[0] = 1.0\n"),
    "an imported variable": ("from a import TABLE\nTABLE[0] = 1.0\nr = TABLE\n"),
    "a generator": ("r = list(a.rows(x))\nr[0][0] = 1.0\n"),
    "a closure": ("r = a.made(2.0)(x)\nr[0] = 1.0\n"),
    "a star import": ("from a import *\nr = scaled(x)\nr[0] = 1.0\nTABLE = None\n"),
    "a decorated function": ("r = a.cached(3)\nr2 = a.cached(3)\nr3 = r is r2\n"),
}
MORE = {
    "a list that it fills": "r = []\na.put(r, x)\nr[0][0] = 1.0\n",
    "a dict that it fills": "r = {}\na.name(r, x)\nr['k'][0] = 1.0\n",
    "a list that a function below it fills": "r = []\na.put_twice(r, x)\nr[0][0] = 1.0\n",
    "a function that it calls": "def g(v):\n    assert type(v) is np.ndarray\n    v = v.copy()\n    v[0] = 1.0\n    return np.sin(v)\n\n\nr = a.apply(g, x)\nr[0] = 1.0\n",
    "a lambda that it calls": "r = a.apply(lambda v: np.where(v > 0, v, 0.5).astype(int), x)\n",
    "a method that it calls": "class G:\n    def g(self, v):\n        self.seen = type(v).__name__\n        return v * 2\n\n\nc = G()\nr = a.apply(c.g, x)\n",
    "an object that it is given": "class G:\n    pass\n\n\nc = G()\nc.w = x\na.attach(c)\nr = c.v\nr[0] = 1.0\n",
    "an object that it iterates over": "r = a.each([x, x * 2])\nr[0] = 1.0\n",
}
OBJECTS |= MORE
CLASSES = """
import functools

TABLE = np.sqrt(np.arange(4.0))


class C:
    def __init__(self, w: np.ndarray):
        self.w = np.exp(w) * 2.0

    def step(self):
        return np.cumsum(self.w)

    @property
    def twice(self):
        return self.w * 2.0


def rows(x: np.ndarray):
    for row in x:
        yield np.exp(row)


def made(scale):
    def inner(x):
        return np.exp(x) * scale
    return inner


def scaled(x: np.ndarray):
    return np.exp(x) * TABLE.sum()


@functools.cache
def cached(n):
    return np.sqrt(np.arange(n) * 2.0)


def put(out, x: np.ndarray):
    out.append(np.cumsum(np.exp(x)))


def put_twice(out, x: np.ndarray):
    put(out, x)
    put(out, np.exp(x))


def name(out, x: np.ndarray):
    out["k"] = np.cumsum(np.exp(x))


def apply(function, x: np.ndarray):
    return function(np.exp(x)) * np.cumsum(np.exp(x)).sum()


def attach(o):
    o.v = np.cumsum(np.exp(o.w))


def each(xs):
    return sum(np.cumsum(np.exp(x)) for x in xs)
"""


@pytest.mark.quick(8)
@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("use", OBJECTS)
def test_objects_and_variables(use, placement):
    sources = {"a.py": HEAD + CLASSES, "b.py": f"{HEAD}import a\n\nx = {X}\n{OBJECTS[use]}"}
    same_program(sources, ["b.py"], placement=placement)


def test_a_file_that_is_not_converted_is_not_reported():
    sources = {
        "a.py": HEAD + function("return y"),
        "b.py": f"{HEAD}from a import f\n\n\ndef g():\n    return np.sqrt(f(np.ones(3)))\n",
    }
    texts, functions, diagnostics = convert_project(sources, ["b.py"])
    assert {*functions} == {"a.f"} and {d.path for d in diagnostics} == {"a.py"}
    assert texts["b.py"] == sources["b.py"]


def test_what_nobody_calls_has_no_shell():
    sources = {"a.py": HEAD + function("return y"), "b.py": "import numpy as np\n\nprint(np.ones(3))\n"}
    alone = convert_project({"a.py": sources["a.py"]}, placement="fast")[0]["a.py"]
    assert convert_project(sources, ["b.py"], placement="fast")[0]["a.py"] == alone


def test_names_in_all_of_a_package_that_only_imports_them_are_no_calls():
    sources = {"p/__init__.py": "from .a import f\n", "p/a.py": HEAD + function("return y")}
    texts, _functions, _diagnostics = convert_project(sources, ["p/__init__.py"], placement="fast")
    assert "def _f(" not in texts["p/a.py"]
    assert "jax_enable_x64" in texts["p/a.py"]  # the package is not written


def test_double_precision_is_switched_on_in_the_files_that_others_import():
    sources = {
        "p/__init__.py": "",
        "p/a.py": HEAD + function("return y"),
        "p/c.py": "import numpy as np\nfrom .a import f\n\n\n" + function("return f(y)", name="g"),
        "p/b.py": "import numpy as np\nfrom . import a, c\n\nr = a.f(np.ones(3)).dtype, c.g(np.ones(3)).dtype\n",
    }
    texts, _functions, _diagnostics = convert_project(sources, ["p/__init__.py", "p/b.py"], placement="fast")
    assert "jax_enable_x64" in texts["p/a.py"] and "jax_enable_x64" in texts["p/c.py"]
    jax.config.update("jax_enable_x64", False)
    try:
        assert run_modules(texts)["p.b"].r == (np.float64, np.float64)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_double_precision_is_switched_on_in_a_file_that_only_tests_import():
    sources = {"a.py": HEAD + function("return y"), "test_a.py": f"{HEAD}from a import f\n\n\ndef test_f():\n    f(np.ones(3))\n"}
    assert "jax_enable_x64" in convert_project(sources, placement="fast")[0]["a.py"]


def test_the_core_keeps_the_defaults():
    texts, _functions = same_program(
        {
            "m.py": HEAD
            + function("return y * scale", "x: np.ndarray, scale=2.0")
            + "def both(x):\n    return f(x) + f(x, 3.0)\n",
            "u.py": f"import numpy as np\nfrom m import both, f\n\ny = f({X}), np.asarray(both({X}))\n",
        },
        {"u.py"},
    )
    assert "scale=2.0" in texts["m.py"].partition("def _f(")[2].partition(":\n")[0]
