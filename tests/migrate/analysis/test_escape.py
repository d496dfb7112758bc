"""Arrays that objects hold, and that whoever gave them changes in place afterwards. Found by a random program."""

import pytest

from np2jax.tests.helpers.observed import check_program

HOLDER = """\
import numpy as np


class Holder:
    def __init__(self, p):
        self.b = p

    def set(self, p):
        self.b = p

    def set_as_array(self, p):
        self.b = np.asarray(p)

    def of(self, k):
        return {form}

    def get(self):
        return self.b

    def total(self):
        return self.b.sum()


"""
IN_A_FUNCTION = (
    HOLDER
    + """\
def main():
    a = np.array([3, 5, 0], dtype=np.int64)
    {body}
    a[:] = 7
    return {result}


v = main()
"""
)
IN_THE_MODULE = (
    HOLDER
    + """\
a = np.array([3, 5, 0], dtype=np.int64)
h = Holder(a)
v = h.of(1)
a[:] = 7
"""
)
ANEW = "h = Holder(a * 2)\n    h."


@pytest.mark.parametrize(
    "form",
    ["self.b", "np.asarray(self.b)", *(pytest.param(f, marks=pytest.mark.slow) for f in ("self.b[1:]", "np.ravel(self.b)"))],
)
@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("v = Holder(a).of(1)", "v"),
        ("v = Holder(a).get()", "v"),
        ("h = Holder(a)\n    v = h.of(1)", "v"),
        ("h = Holder(a)\n    v = [h.of(1), 2]", "v"),
        ("h = [Holder(a)]\n    v = h[0].of(1)", "v"),
        ("h = Holder(a)\n    v = h.b", "v"),
        ("h = Holder(a)\n    v = h.b[1:]", "v"),
        ("h = Holder(a)", "(h.total(), h.b)"),
        (ANEW + "set(a)\n    v = h.of(1)", "v"),
        (ANEW + "set_as_array(a)\n    v = h.of(1)", "v"),
        (ANEW + "set_as_array(a)\n    v = h.get()", "v"),
        (ANEW + "set_as_array(a)", "(h.total(), h.b)"),
        (ANEW + "b = a\n    v = h.of(1)", "v"),
    ],
)
def test_an_array_that_an_object_holds_is_changed(form, body, result):
    """`v = h.b`, `v = h.get()` were copies to who changes the array that h was made of: v stayed as it was, silently."""
    text = IN_A_FUNCTION.replace("{form}", form).replace("{body}", body).replace("{result}", result)
    check_program({"m.py": text})


@pytest.mark.parametrize(
    "form",
    [
        "np.array(self.b, copy=None)",
        "np.asarray(self.b)",
        *(
            pytest.param(f, marks=pytest.mark.slow)
            for f in (
                *("np.asanyarray(self.b)", "np.ascontiguousarray(self.b)", "np.asfortranarray(self.b)", "np.require(self.b)"),
                *("np.atleast_1d(self.b)", "np.atleast_2d(self.b)", "np.expand_dims(self.b, 0)", "np.squeeze(self.b)"),
                *("np.ravel(self.b)", "np.reshape(self.b, 3)", "np.transpose(self.b)", "np.swapaxes(self.b, 0, 0)"),
                *("np.moveaxis(self.b, 0, 0)", "np.rollaxis(self.b, 0)", "np.flip(self.b)", "np.split(self.b, 3)[0]"),
                *("np.broadcast_to(self.b, (2, 3))", "np.real(self.b)", "np.diagonal(np.atleast_2d(self.b))"),
                *("np.asarray(self.b, dtype=np.int64)", "self.b.astype(np.int64, copy=False)", "self.b.ravel()", "self.b[:]"),
                *(
                    "self.b.T",
                    "self.b.view()",
                    "self.b.flat",
                    "(self.b,)",
                    "[self.b]",
                    "np.asarray([self.b])",
                    "np.array(self.b)",
                ),
            )
        ),
    ],
)
def test_a_view_that_converted_code_gives_of_an_array_that_kept_code_changes(form):
    """What JAX makes of NumPy's array is a copy: a view of what an object holds is NumPy's where kept code changes the array."""
    check_program({"m.py": IN_THE_MODULE.replace("{form}", form)})


def test_what_an_object_copied_is_no_longer_the_array_that_is_changed():
    text = HOLDER.replace("self.b = p\n\n    def set(", "self.b = p.copy()\n\n    def set(").replace("{form}", "self.b")
    text += "def f():\n    a = np.zeros(3)\n    h = Plain(a)\n    v = h.b\n    a[:] = 7\n    return v, a\n\n\nv = f()\n"
    text = text.replace("class Holder", "class Plain").replace("    def set(self, p):\n        self.b = p\n\n", "")
    text = text.replace("    def set_as_array(self, p):\n        self.b = np.asarray(p)\n\n", "")
    functions = check_program({"m.py": text})
    assert functions["m.f"].label != "kept"


def test_jit_gives_a_copy_of_what_kept_code_changes():
    text = """\
import numpy as np


class Holder:
    def __init__(self, p):
        self.a = p * 1

    def shift(self):
        part = self.a[:-1]
        part += np.array([1, 2]).ctypes.shape[0]
        return self.a


def same(p):
    q = np.where(p == p, p, p)
    return p


h = Holder(np.array([0.0, 3.0]))
v = same(h.a)
w = h.shift() * h.a
"""
    check_program({"m.py": text})
