"""What is kept is reported where it is kept."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import CONVERTED, check_agrees, convert, convert_project, refused, run
from np2jax.tests.helpers.observed import check_program

PROGRAM = """\
import numpy as np

T = np.zeros(3)


def f(x):
    y = np.sqrt(x)
    T[0] = 1
    return y


def h(d, word):
    d[word] += 1
"""


def test_a_refusal_is_a_diagnostic_with_the_line_of_its_reason():
    found = [(d.code, d.line, d.function, d.safety) for d in convert(PROGRAM)[2] if d.message.startswith("left as NumPy")]
    assert found == [("NJ206", 8, "m.f", "manual"), ("NJ202", 13, "m.h", "manual")]


def test_code_without_numpy_has_no_findings():
    assert convert("def h(d, word):\n    d[word] += 1\n")[2] == []


def test_what_is_ignored_on_its_line_is_not_reported_as_a_refusal():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    x[1:] = np.sqrt(x[1:])  # np2jax: ignore\n"
    assert not [d for d in convert(text)[2] if d.message.startswith("left as NumPy")]


def test_a_kept_function_gets_numpys_array_of_what_another_kept_one_may_have_of_jax():
    text = '''
        import numpy as np
        from numpy.lib.stride_tricks import as_strided


        def windows(x):
            """Parameters
            ----------
            x : ndarray
                Given.
            """
            if not isinstance(x, np.ndarray):
                raise TypeError("no array")
            return as_strided(x, (2, 2), x.strides + x.strides)


        def double(x):
            return np.multiply(x, 2.0)


        def pad(x, steps):
            for each in steps:
                each[0] = 1
                x = double(x)
            return x


        def means(x):
            out = pad(x, [[0]])
            return np.mean(windows(out), axis=0)
    '''
    assert "else np.asarray(out))" in check_agrees(text, (np.arange(4.0),), function="means")


def test_an_array_that_may_be_of_objects_in_a_try():
    text = """
        import numpy as np


        class Saver:
            def __init__(self):
                self.found = {}

            def to_array(self):
                for key in self.found:
                    try:
                        setattr(self, key, np.array(self.found[key]))
                    except Exception:
                        raise ValueError("cannot be converted")
                return np.sum(np.ones(3))


        def known(x):
            try:
                return np.asarray(x) + 1.0
            except TypeError:
                return None
    """
    assert "array of objects" in refused(text, "Saver.to_array")
    assert convert(text)[1]["known"].label != "kept"


def test_counts_in_an_attribute_at_an_index_that_jax_computes():
    text = """
        import numpy as np


        class Counter:
            def __init__(self):
                self.hits = np.zeros(4)

            def record(self, wall, count):
                self.hits[wall] += np.sum(count)
    """
    assert convert(text)[1]["Counter.record"].label != "kept"


OBJECTS = """\
import numpy as np


def shaped(z, n):
    z = np.atleast_2d(z)
    return z.T if z.shape[1] == n else z


class Filter:
    def __init__(self, n):
        self.n = n
        self.z = shaped(np.array([None] * n), n)

    def update(self, z: np.ndarray):
        return shaped(z, self.n).sum()


def f(x: np.ndarray):
    return Filter(3).update(x)
"""


@pytest.mark.parametrize("dtype", ["object", "np.object_", "np.ndarray", "'O'"])
def test_no_loop_over_an_array_of_objects_is_compiled(dtype):
    text = f"""
import numpy as np


def rows(data, n: int):
    if isinstance(data, np.ndarray):
        return data
    found = np.empty(n, dtype={dtype})
    for i in range(n):
        found[i] = np.array(data[i], dtype=float)
    return found


class Table:
    def __init__(self, data, n: int):
        found = rows(data, n)
        found = np.broadcast_to(found, found.shape).copy()
        self.empty = True
        for item in found[0]:
            if np.any(item):
                self.empty = False
                break
"""
    assert "jax" not in convert(text, placement="fast")[0]
    assert "jax" in convert(text.replace("dtype=" + dtype + ")\n    for", "dtype=float)\n    for"), placement="fast")[0]


def test_a_function_that_gets_an_array_of_objects_is_kept():
    assert "array of Python objects" in refused(OBJECTS, "shaped")
    check_agrees(OBJECTS, (np.arange(3.0),), keep=True)


FOREIGN = """\
import numpy as np

POINT = np.dtype([("x", "f8"), ("y", "i4")])


def total(v):
    s = 0.0
    for i in range(len(v)):
        s += np.sin(v[i]) * v[i] + np.exp(v[i])
    return s


def made(x, n):
    return {made}


def f(x, n):
    v = made(x, n)
    return total({given})
"""


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize(
    "made, given, stays",
    [
        ("np.arange('2024-01', '2024-03', dtype='datetime64[D]')[:n]", "v", True),
        ("x.astype('timedelta64[s]')", "v - v[0]", True),
        ("np.zeros(n, dtype=POINT)", "v.copy()", True),
        ("np.empty(n, dtype=[('x', 'f8')])", "v", True),
        ("x.astype(str)", "v", True),
        ("np.ma.masked_invalid(x)", "v", True),
        ("np.asmatrix(x)", "v", True),
        ("np.matrix(x)", "v", True),
        ("np.zeros(n, dtype=POINT)", "v['x']", False),
        ("x.astype('timedelta64[s]')", "v / np.timedelta64(1, 'm')", False),
        ("x.astype('f4')", "v", False),
        ("np.ma.masked_invalid(x).filled(0)", "v", False),
    ],
)
def test_a_function_that_gets_an_array_that_jax_does_not_have_stays(made, given, stays, placement):
    text = FOREIGN.format(made=made, given=given)
    functions = convert(text, path="m/__init__.py", placement=placement)[1]
    assert (functions["total"].label in ("kept", "host")) is stays, functions["total"].reason


@pytest.mark.parametrize("placement", ["fast", "device"])
def test_a_mask_is_not_lost(placement):
    text = FOREIGN.format(made="np.ma.masked_invalid(x)", given="v")
    namespace = run(convert(text, path="m/__init__.py", placement=placement)[0])
    assert namespace["f"](np.array([1.0, np.nan]), 2) is np.ma.masked


ASKS = """\
import numpy as np


def windows(x):
    \"\"\"Parameters
    ----------
    x : ndarray
    \"\"\"
    if not isinstance(x, np.ndarray):
        raise TypeError("x must be an array")
    return np.lib.stride_tricks.as_strided(x, (2, 2), x.strides * 2)


def f(x: np.ndarray):
    return windows(x + 1.0).sum(axis=0)


def g(x: np.ndarray, weights=None):
    \"\"\"Parameters
    ----------
    weights : ndarray, optional
    \"\"\"
    return weighted(x * 1.0, weights)


def weighted(x, weights=None):
    x[0] = np.random.default_rng(1).integers(2, dtype=bool)
    return x if weights is None else x * np.asarray(weights)
"""


def test_kept_code_that_asks_for_arrays_of_numpy_gets_them():
    assert "windows(np.asarray(x + 1.0))" in check_agrees(ASKS, (np.arange(3.0),))
    assert ", weights)" in check_agrees(ASKS, (np.arange(3.0),), function="g", keep=True)


CALLS_BACK = """\
import numpy as np


def apply(x: np.ndarray, op):
    return op(x + 1.0)
"""
PLUGIN = """\
import sphinx
import numpy as np


def mark(document):
    document[0] = 1


sphinx.connect(mark)
"""


def test_a_function_that_is_used_as_a_value_concerns_the_modules_that_imports_join():
    _texts, functions, _diagnostics = convert_project({"pkg/apply.py": CALLS_BACK, "docs/plugin.py": PLUGIN})
    assert functions["docs.plugin.mark"].label == "kept" and functions["pkg.apply.apply"].label != "kept"
    for joining in ("docs/plugin.py", "docs/conf.py"):
        sources = {"pkg/apply.py": CALLS_BACK, "docs/plugin.py": PLUGIN, "docs/conf.py": "import plugin\n"}
        sources[joining] += "from pkg.apply import apply\n"
        assert convert_project(sources)[1]["pkg.apply.apply"].label == "kept"


TEXTS = """\
import numpy as np


def f(x: np.ndarray, mode="min"):
    if "min" in mode.lower():
        return x.sum()
    return x.mean()
"""


def test_texts_are_static_whatever_is_done_with_them():
    x = np.arange(3.0)
    assert 'static_argnames="mode"' in check_agrees(TEXTS, (x,), (x, "avg"))


@pytest.mark.parametrize("body", ["return bool(np.sum(x) > 2)", "print(1)\n    return bool(np.sum(x) > 2)"])
def test_kept_code_gets_a_bool_of_python_where_there_was_one(body):
    """`ok is False` holds for no bool of NumPy: an area came out wrong, without a word."""
    text = f"""import numpy as np


def g(x: np.ndarray):
    {body}


def f(x: np.ndarray):
    try:
        x[9]
    except IndexError:
        pass
    ok = g(x)
    return np.sin(x) if ok is False else x
"""
    made = check_agrees(text, (np.ones(2),), (np.ones(4),), keep=True)
    assert "np.array(g(x))[()]" not in made


def test_kept_code_gets_a_number_of_python_from_what_jit_compiles():
    text = """import numpy as np


def g(x: np.ndarray):
    return float(x.max())


def f(x: np.ndarray):
    try:
        x[9]
    except IndexError:
        pass
    a = g(x)
    return isinstance(a, float), repr(a), a * np.float32(2)
"""
    assert "a = g(x).item()" in check_agrees(text, (np.ones(2),), (np.arange(4.0),), keep=True)


def test_an_attribute_that_kept_code_changes_holds_arrays_of_numpy():
    text = """import numpy as np


class Quaternion:
    def __init__(self, *given):
        if len(given) == 0:
            self.q = np.array([1.0, 0.0, 0.0, 0.0])
        elif isinstance(given[0], Quaternion):
            self.q = given[0].q
        else:
            self.q = self.checked(given, 4)

    def checked(self, given, n):
        if given is None:
            return np.zeros(n)
        return np.asarray([float(e) for e in given])

    def __setitem__(self, i, v):
        self.q[int(i)] = float(v)


def f(v):
    made = Quaternion(v, v, v, v)
    made[0] = 2 * v
    return np.sum(made.q)
"""
    made = check_agrees(text, (1.5,), (2.0,), keep=True)
    assert "self.q = np.array(self.checked(given, 4))" in made


def test_an_attribute_that_only_converted_code_changes_stays_of_jax():
    text = """import numpy as np


class Counter:
    def __init__(self, n: int):
        self.counts = made(n)

    def add(self, i):
        self.counts[i] += 1


def made(n: int):
    return np.zeros(n)
"""
    assert "np.array(" not in convert(text)[0].replace("jnp.array(", "")


def test_numbers_and_none_that_a_kept_function_gets():
    """It asks for their types: numbers of JAX's are arrays of rank 0, and None is None."""
    text = check_agrees(
        """
        import numpy as np

        def named(v, before):
            text = np.char.add(np.array(["a", "b"]), "x")
            if before is None:
                return -1.0
            if isinstance(v, float):
                return 1.0
            return before.sum()

        def f(x: np.ndarray, n: int):
            before = None
            found = []
            for i in range(n):
                found.append(named(x[i], before))
                found.append(named(x.sum(), before))
                found.append(named(x, before))
                found.append(named(n, before))
                before = x * 2
            return found
        """,
        (np.arange(1.0, 4.0), 2),
        (np.arange(1, 4), 2),
    )
    assert "None if before is None else np.asarray(before)" in text
    assert "named(np.asarray(x[i])[()]," in text and "named(n," in text


RESULTS_OF_NUMPY_CODE = """\
import numpy as np


def root(x: np.ndarray):
    return np.sqrt(x)


def scaled(x: np.ndarray, y: np.ndarray):
    x *= y
    return np.sqrt(y)


def several(x: np.ndarray, y: np.ndarray):
    x *= y
    return np.sqrt(y), "text"


def on_some_ways(x: np.ndarray, k):
    if k > 2:
        return x, root(x), root(x), "text"
    x += 1
    a = scaled(x, x * 1)
    b, text = several(x, x + 1)
    return a, b, scaled(x, a), text


def handed_on(x: np.ndarray, k):
    print(x.strides)
    return on_some_ways(x, k)


def main():
    print(np.zeros(2).strides)
    x = np.arange(4.0).reshape(2, 2) + 1
    a, b, c, text = handed_on(x, 1)
    for array in (a, b, c):
        array[0] = 5
    return x, a, b, c, text
"""


def test_kept_code_changes_what_converted_code_made_and_other_kept_code_hands_on():
    made = check_agrees(RESULTS_OF_NUMPY_CODE, (), function="main", keep=True)
    assert made.count("= _to_numpy(scaled(") == 2 and "return x, np.array(root(x)), np.array(root(x))" in made
    assert refused(RESULTS_OF_NUMPY_CODE, "on_some_ways").startswith("NJ207")


def test_kept_code_changes_a_product_with_an_attribute_that_kept_code_hands_out():
    text = """\
import numpy as np

CALLS = np.zeros(2)


class Filter:
    def __init__(self, x: np.ndarray):
        self.state = x.copy()

    def read(self):
        CALLS[0] += 1
        return self.state


def f(x: np.ndarray):
    CALLS[1] += 1
    product = Filter(x).read() * x.dtype.type(2)
    product[0] = 5
    return product
"""
    made = check_agrees(text, (np.arange(3.0),), keep=True)
    assert refused(text, "Filter.__init__").startswith("NJ209") and "jnp.array(x)" not in made


def test_a_kept_function_that_changes_what_may_be_an_array_gets_numpys():
    text = """\
import numpy as np


def fill(rng, x):
    x.fill(3)
    np.nditer(x)  # JAX has none
    return x


a = np.arange(3.0)
a = fill(1, a)
fill(2, a)
b = fill(3, a)
"""
    assert check_program({"m.py": text})["m.fill"].label == "kept"


def test_what_came_through_another_function_is_numpys_too():
    text = """\
import numpy as np


def fresh(n):
    return np.arange(n) * 0.5


def same(u):
    return u


def double(u):
    u *= 2


def f(turns):
    u = same(fresh(3))
    while turns > 0:
        double(u)
        turns -= 1
    return u
"""
    check_agrees(text, (3,), idempotent=False)


HANDED_ON = """\
import numpy as np


def build(p: np.ndarray):
    return np.concatenate([np.eye(len(p)), p], axis=1)


def built(p: np.ndarray, names):
    names.clear()
    return build(p)


class Tableau:
    def __init__(self, table: np.ndarray, name=None):
        self.table = table

    def pivot(self, i: int):
        assert self.table.flags.writeable
        row = self.table[i, :] * 2
        row -= self.table[0, :]
        self.table[i, :] = row


def clear(table: np.ndarray, at):
    assert table.flags.writeable
    table[0] = 0
    at["cleared"] = table
    return at


def make(p: np.ndarray):
{body}


t = make(np.arange(6.0).reshape(2, 3))
for s in {{1}}:
    t.pivot(s)
table = t.table
"""


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "body",
    [
        "t = build(p)\nreturn Tableau(t)",
        "return Tableau(build(p))",
        "t = build(p)\nu = t\nreturn Tableau(name=None, table=u)",
        "t = built(p, ['a'])\nreturn Tableau(t)",
        "return Tableau(built(p, ['a']), 'b')",
        "t = build(p)\nd = clear(t, {})\nd['cleared'][1] += 1\nreturn Tableau(t)",
        "t = build(p)\ns = t.sum()\nT = Tableau(t)\nT.table[0, 0] = s\nreturn T",
        "t = build(p)\nt = t if t[0, 0] > 0 else build(2 * p)\nreturn Tableau(t)",
        "for q in (p, 2 * p):\n    T = Tableau(build(q))\nreturn T",
    ],
)
def test_what_kept_code_changes_later_can_be_written_into(body):
    """A constructor keeps the array that it is given, and a method changes it: np.asarray of JAX's is read-only."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    program = {"m.py": HANDED_ON.format(body=lines.rstrip("\n"))}
    check_program(program)
    outcomes = convert_project(program)[1]
    assert outcomes["m.build"].label in CONVERTED and outcomes["m.make"].label == "kept"


PASSED_ON = """\
import numpy as np


def made(n):
    return np.sqrt(np.arange(float(n)))


class Kept:
    def __init__(self, m: np.ndarray = None):
        self.q = np.ones(2)
        self.set(m)

    def set(self, m):
        if m is None:
            self.m = np.ones(3)
        elif isinstance(m, (int, float)):
            self.m = np.array([m, 1.0, 0.0])
        else:
            self.m = np.copy(m)
        self.m /= np.linalg.norm(self.m)

    def peek(self):
        self.m[0] = 1
        self.q[0] = 2
        return self.m.flags


def use():
    m = made(3)
    return m, Kept(m).m


class Holder:
    def __init__(self, n: int):
        self.m = made(n)

    def use(self):
        return self.m * 2, Kept(self.m).m


result = use()
other = Holder(3).use()
"""


@pytest.mark.parametrize("given", [None, 2, 0.5, [1.0, 2.0, 3.0], np.arange(3.0)])
def test_an_argument_that_a_kept_function_passes_on_stays_what_it_is(given):
    """`np.asarray(None)` is an array of objects, and `np.asarray(2.0)` no float."""
    program = {"m.py": PASSED_ON}
    check_program(program)
    made = convert_project(program)[0]["m.py"]
    assert "Kept(np.asarray(m))" in made and "Kept(np.asarray(self.m)" in made
    assert np.allclose(run(made)["Kept"](given).m, run(PASSED_ON)["Kept"](given).m)
