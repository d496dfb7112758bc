"""What is compiled, and what stays NumPy because that is faster: `--placement fast`."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import CONVERTED, body, compare_values, convert, convert_project, run


def labels(text, **options):
    """The label of each function, with the reason for "host"."""
    _text, functions, _diagnostics = convert(text, placement="fast", **options)
    return {name: outcome.label for name, outcome in functions.items() if not name.endswith("<module>")}


def check_same(before, *calls, function="f"):
    """Compare calls with NumPy arrays, as outside code makes them: results, and arguments that are changed in place."""
    text, _functions, _diagnostics = convert(before, placement="fast")
    old, new = run(before), run(text)
    for arguments in calls:
        mine, theirs = ([a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2))
        want, got = old[function](*theirs), new[function](*mine)
        for a, b, what in ((got, want, "result"), (mine, theirs, "arguments")):
            difference = compare_values(a, b, what)
            assert not difference, f"{difference}\n{text}"
    return text


UNTRACEABLE = """
import numpy as np


def f(x: np.ndarray):
    if np.any(x < 0):
        raise ValueError("no negative numbers")
    return np.sqrt(x) * 2
"""


def test_code_without_jit_stays_as_it_was():
    text, functions, diagnostics = convert(UNTRACEABLE, placement="fast")
    assert functions["f"].label == "host"
    assert functions["f"].codes == ("NJ506",)
    assert "raise" in functions["f"].reason
    assert body(text) == body(UNTRACEABLE)
    assert not [d for d in diagnostics if d.code == "NJ506"], "the report says it; it is no finding"
    check_same(UNTRACEABLE, (np.array([1.0, 4.0]),))


def test_device_converts_it_all_the_same():
    text, functions, _diagnostics = convert(UNTRACEABLE, placement="device")
    assert functions["f"].transform == "eager"
    assert "jnp.sqrt" in text


def test_without_the_rule_jit_nothing_is_placed():
    text, _functions, _diagnostics = convert(UNTRACEABLE, placement="fast", select=("NJ1",))
    assert "jnp.sqrt" in text


CALLS = """
import numpy as np


def smooth(x: np.ndarray):
    y = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return y


def both(x: np.ndarray):
    return smooth(x), smooth(x).sum()


def f(x: np.ndarray):
    print(len(x))
    y = smooth(x)
    y[0] = 7.0
    pair, total = both(x)
    total += 1.0
    return y, pair, total, smooth(x)
"""


def test_results_of_compiled_code_are_numpy_arrays_on_the_host():
    text = check_same(CALLS, (np.arange(5.0),), (np.array([np.nan, 1.0, 2.0]),), (np.zeros(2),))
    assert "@_numpy_results" in text and "y = smooth(x)" in text, "it is changed in place"
    x = run(text)["f"](np.arange(4.0))
    assert all(isinstance(leaf, (np.ndarray, np.generic)) for leaf in x), [type(leaf) for leaf in x]


def test_converting_twice_changes_nothing():
    text = convert(CALLS, placement="fast")[0]
    assert convert(text, placement="fast")[0] == text


def test_numpy_functions_get_numpy_arrays():
    before = """
import numpy as np


def scores(x: np.ndarray):
    y = np.zeros((len(x), 2))
    for i in range(len(x)):
        y[i, 0] = x[i] * 2
        y[i, 1] = x[i] * x[i]
    return y


def f(x: np.ndarray):
    print(len(x))
    return np.mean(np.argmax(scores(x), axis=1) == 1)  # np.argmax would call the method of a jax.Array, which returns one
"""
    check_same(before, (np.arange(5.0),))


def test_arguments_that_compiled_code_changes_are_filled():
    before = """
import numpy as np


def sweep(x: np.ndarray):
    for i in range(1, len(x)):
        x[i] = x[i] + x[i - 1]


def f(x: np.ndarray):
    print(len(x))
    view = x[::2]
    sweep(x)
    return view.sum()
"""
    text = check_same(before, (np.arange(5.0),), (np.ones(3),))
    assert "x[...] = results\n" in text and "    sweep(x)\n" in text


def test_a_mask_of_the_axis_that_replaces_a_short_slice_is_not_compiled():
    text = """
import numpy as np


def f(n: int):
    phi = np.arange(n + 1)
    for i in range(2, n + 1):
        if phi[i] == i:
            phi[i::i] -= phi[i::i] // i
    return phi
"""
    assert labels(text) == {"f": "host"}
    check_same(text, (30,), (1,))


def test_a_triangle_is_compiled():
    text = """
import numpy as np


def f(a: np.ndarray, b: np.ndarray):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return x
"""
    assert labels(text)["f"] in CONVERTED


NUMBERS = """
import numpy as np


def relu(x: float):
    if x > 0:
        return x
    return 0.0


{}
def f(x: np.ndarray):
    out = []
    for k in range(3):
        print(k)
        out.append(relu(float(k) - 1.5))
    return np.array(out)
"""


def test_a_function_of_numbers_stays_python():
    text = NUMBERS.format("")
    assert labels(text)["relu"] == "host"
    check_same(text, (np.ones(2),))


def test_a_function_of_a_few_items_stays_numpy():
    text = """
import numpy as np


def product(p, q):
    w1, x1, y1, z1 = p
    w2, x2, y2, z2 = q
    w = w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2
    x = w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2
    return np.array([w, x, y1, z1])


def f(p: np.ndarray):
    return product(p, product(p, p))
"""
    assert labels(text) == {"product": "host", "f": "host"}
    check_same(text, (np.arange(4.0),))


def test_a_function_of_numbers_that_compiled_code_calls_is_compiled():
    text = NUMBERS.format("""
def total(x: np.ndarray):
    found = 0.0
    for v in x:
        found += relu(v)
    return found

""")
    assert labels(text)["relu"] in CONVERTED
    check_same(text, (np.ones(2),))
    check_same(text, (np.array([1.0, -2.0, np.nan]),), function="total")


def test_few_operations_in_a_python_loop_are_not_worth_a_call_of_compiled_code():
    text = """
import numpy as np


def move(x: np.ndarray, v: np.ndarray):
    return x + 0.1 * v


def f(x: np.ndarray):
    for k in range(4):
        print(k)
        x = move(x, x)
    return x
"""
    assert labels(text)["move"] == "host"
    check_same(text, (np.arange(3.0),))


def test_static_arguments_that_differ_in_each_iteration():
    text = """
import numpy as np


def waves(x: np.ndarray, n: int):
    y = np.zeros((n, len(x)))
    for k in range(n):
        y[k] = np.sin(k * x) + np.cos(x)
    return y


def f(x: np.ndarray):
    found = []
    for n in range(1, 4):
        print(n)
        found.append(waves(x, {}))
    return found[-1]
"""
    made, functions, _diagnostics = convert(text.format("n"), placement="fast")
    assert functions["waves"].label == "host"
    assert "_loop" not in made, "its loop would be compiled again for each n"
    assert labels(text.format("3"))["waves"] in CONVERTED
    few = convert(text.format("n").replace("range(1, 4)", "(100, 200)"), placement="fast")[0]
    assert "_waves_loop(n, x)" in few
    check_same(text.format("n"), (np.arange(3.0),))
    check_same(text.format("3"), (np.arange(3.0),))


def test_classes_with_arrays_stay_numpy():
    text = """
import numpy as np


class Filter:
    def __init__(self, n):
        self.w = np.zeros(n)

    def step(self, x):
        self.w += 0.5 * x
        return self.w @ x


def f(x: np.ndarray):
    filter = Filter(len(x))
    kept = filter.w
    return filter.step(x), kept
"""
    assert set(labels(text).values()) <= {"host", "kept"}
    text = check_same(text, (np.arange(3.0),))
    assert "jnp" not in text


@pytest.mark.parametrize("draw", ["np.random.normal(size=3)", "np.random.default_rng(0).normal(size=3)"])
def test_draws_on_the_host_stay_numpys(draw):
    text = f"""
import numpy as np


def f(x: np.ndarray):
    print(x)
    np.random.seed(1)
    return x + {draw}
"""
    check_same(text, (np.zeros(3),))


def test_a_file_in_which_nothing_is_compiled_does_not_change():
    sources = {"m.py": UNTRACEABLE, "main.py": "import m\nimport numpy as np\n\nprint(m.f(np.ones(3)))\n"}
    texts, _functions, _diagnostics = convert_project(sources, placement="fast")
    assert texts == sources


MEASURED = """
import numpy as np


def small(x: np.ndarray):
    return np.exp(x[:3]) + np.sin(x[:3]) * np.cos(x[:3]) + x[:3] - 2 * x[:3]


def {caller}(x: np.ndarray):
    s = np.zeros(3)
    for i in range(100):
        s = s + small(x + s)
    return s


def shell(x: np.ndarray, path: str):
    if np.any(x < 0):
        raise ValueError(path)
    for _ in range(50):
        x = 0.5 * (x + np.sqrt(x))
    return x
"""
X = np.array([0.5, 1.0, 2.0, 4.0])


def test_what_was_measured_to_be_slower_stays_numpy():
    text = MEASURED.format(caller="outer").replace("small(x + s)", "x[:3]")
    _text, functions, _diagnostics = convert(text, placement="fast", slower=(("__main__.small", "12 us against 3 us"),))
    assert labels(text)["small"] in CONVERTED
    name = functions["small"].name
    made, functions, _diagnostics = convert(text, placement="fast", slower=((name, "12 us against 3 us"),))
    assert functions["small"].label == "host"
    assert "12 us against 3 us" in functions["small"].reason
    assert functions["outer"].transform == "jit"
    old, new = run(text), run(made)
    assert not compare_values(new["small"](X), old["small"](X), "result")
    assert isinstance(new["small"](X), np.ndarray)


def test_compiled_code_calls_a_compiled_version_of_what_is_slower_from_python():
    text = MEASURED.format(caller="outer")
    name = convert(text, placement="fast")[1]["small"].name
    made, functions, _diagnostics = convert(text, placement="fast", slower=((name, "slower"),))
    assert (functions["small"].transform, functions["outer"].transform) == ("both", "jit")
    assert "_small_jax(" in made.partition("def outer")[2]
    assert isinstance(run(made)["small"](X), np.ndarray)
    check_same(text, (X[:3],), function="outer")


def test_the_loops_of_a_slower_function_stay_where_they_are():
    text = MEASURED.format(caller="outer")
    _made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["shell"].transform == "outlined"
    name = functions["shell"].name
    made, functions, _diagnostics = convert(text, placement="fast", slower=((name, "slower"),), unjitted=frozenset({name}))
    assert (functions["shell"].label, functions["shell"].transform) == ("host", "")
    assert "_shell_loop" not in made


DRAWN = """
import numpy as np


def f(x: np.ndarray, n: int, seed: int):
    rng = np.random.default_rng(seed)
    {before}
    for k in range(n):
        {body}
    return {result}
"""
IN_SEQUENCE = "z = rng.normal(size=x.size); x = np.exp(-0.5 * x) + z"
COMPILED_DRAWS = {
    "a few numbers": ("", "z = rng.normal(0, 1, 2); x = np.exp(-0.5 * x) + z[0]", "x"),
    "one number": ("", "x = np.exp(-0.5 * x) + rng.normal()", "x"),
    "all at once": ("out = np.zeros(n)", "out[k] = np.mean(x[rng.integers(0, x.size, x.size)])", "out"),
    "much else": ("", IN_SEQUENCE + "; x = " + " + ".join(f"np.sin({k} * x) * np.cos(x)" for k in range(6)), "x"),
    "products": ("m = np.outer(x, x)", "z = rng.normal(size=x.size); x = np.tanh(m @ x + z)", "x"),
    "an inner loop": (
        "",
        "z = rng.normal(size=x.size)\n        for i in range(1, x.size):\n            x[i] = 0.5 * x[i - 1] + z[i]",
        "x",
    ),
}


def test_a_loop_that_mostly_draws_arrays_stays_numpy():
    """On a CPU, JAX takes several times as long for the numbers."""
    text = DRAWN.format(before="", body=IN_SEQUENCE, result="x")
    assert labels(text)["f"] == "host"
    check_same(text, (np.ones(5), 3, 1))
    moved = text.replace("rng = np", "print(n); rng = np")
    assert labels(moved)["f"] == "host"


@pytest.mark.parametrize("case", COMPILED_DRAWS)
def test_other_loops_that_draw_are_compiled(case):
    before, body, result = COMPILED_DRAWS[case]
    assert labels(DRAWN.format(before=before, body=body, result=result))["f"] == "assumed"


MODEL = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef loss(w, x):\n    return jnp.mean((x @ w) ** 2)\n"
DATA = "import numpy as np\n\n\ndef smooth(x: np.ndarray):\n    for _ in range(50):\n        x = np.sin(x) + 0.1 * np.cos(x)\n    return x\n"
WIDE = 'import jax\n\njax.config.update("jax_enable_x64", True)\n'


def of_project(files, **options):
    texts, functions, _diagnostics = convert_project(files, **{"placement": "fast"} | options)
    changed = {name for name, text in texts.items() if text != files[name]}
    return changed, next(f for name, f in functions.items() if name.endswith("smooth"))


def test_a_program_that_runs_jax_with_32_bits_keeps_its_precision():
    package = {"pkg/__init__.py": "", "pkg/model.py": MODEL, "pkg/data.py": DATA}
    importing = {"model.py": MODEL, "data.py": DATA, "main.py": "import data, model\n\nprint(model.loss(1.0, 2.0))\n"}
    one_file = {"a.py": MODEL.replace("import jax\n", "import jax\nimport numpy as np\n", 1) + DATA.partition("\n")[2]}
    for files in (package, importing, one_file):
        changed, smooth = of_project(files)
        assert not changed and smooth.label == "host" and "32 bits" in smooth.reason, files
        assert not of_project(files, placement="device")[0], files
        changed, smooth = of_project(files, precision="float32")
        assert changed and smooth.transform == "jit", files


@pytest.mark.parametrize(
    "text",
    [WIDE, 'import os\nos.environ["JAX_ENABLE_X64"] = "1"\n', "import numpyro\nnumpyro.enable_x64()\n"],
    ids=["jax", "os", "numpyro"],
)
def test_a_program_that_sets_its_precision_is_converted(text):
    changed, smooth = of_project({"pkg/__init__.py": text, "pkg/model.py": MODEL, "pkg/data.py": DATA})
    assert "pkg/data.py" in changed and smooth.transform == "jit"


@pytest.mark.parametrize(
    "files",
    [
        {"pkg/__init__.py": WIDE.replace("True", "False")},
        {"pkg/__init__.py": "import jax\n\nwide = jax.config.jax_enable_x64 == 1\n"},
        {"pkg/__init__.py": "import jax\n\n\ndef f(g):\n    with jax.enable_x64(True):\n        return g()\n"},
        {"pkg/__init__.py": "", "tests/test_model.py": f"import pkg.model\n{WIDE}"},
    ],
    ids=["False", "read", "in a block", "a test"],
)
def test_what_does_not_set_the_precision_of_the_program(files):
    assert not of_project({"pkg/model.py": MODEL, "pkg/data.py": DATA, **files})[0]


def test_another_program_and_tests_do_not_matter():
    for files in ({"model.py": MODEL, "data.py": DATA}, {"data.py": DATA, "tests/test_data.py": f"import data\n{MODEL}"}):
        changed, smooth = of_project(files)
        assert changed == {"data.py"} and smooth.transform == "jit"


def test_what_iterates_over_a_parameter_may_take_arrays():
    text = """
def checksum(data, poly=0x8408):
    crc = 0xFFFF
    for b in data:
        byte = 0xFF & b
        for _ in range(8):
            if (crc & 1) ^ (byte & 1):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            byte >>= 1
    return crc
"""
    texts, functions, _diagnostics = convert_project(
        {"m.py": text, "data.py": DATA, "main.py": "import data, m\n"}, placement="fast"
    )
    assert functions["m.checksum"].transform == "jit", texts["m.py"]


def test_a_function_that_python_calls_again_and_again_through_a_variable():
    text = """
import numpy as np


def mse(y):
    return np.mean((y - np.mean(y)) ** 2)


def mae(y):
    return np.mean(np.abs(y - np.mean(y)))


def gain(y, name, t):
    loss = mse if name == "mse" else mae
    print(name)
    return loss(y) - t


def best(y, name, ts):
    return max([gain(y, name, t) for t in ts])
"""
    functions = convert(text, placement="fast")[1]
    assert all("Python calls it in a loop" in functions[name].reason for name in ("mse", "mae"))
    once = text[: text.index("def best")]
    functions = convert(once, placement="fast")[1]
    assert all(functions[name].label != "host" for name in ("mse", "mae"))
