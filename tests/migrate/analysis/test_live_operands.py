"""What an expression has read before a call changes it: NumPy shows the change, a new array of JAX does not."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees
from np2jax.tests.helpers.observed import check_program

BOX = """
import numpy as np

CELLS = np.arange(4)

class Box:
    def __init__(self, p):
        self.a = p * 1
        self.b = self.a.copy()

    def put(self):
        self.a[-1] = 7
        return self.b

def put(x):
    x[-1] = 7
    return x.sum()

def set_cells():
    CELLS[-1] = 7
    return 1

def f(p: np.ndarray):
    k = Box(p)
"""


@pytest.mark.quick(10)
@pytest.mark.parametrize(
    "body",
    """
return k.a + k.put()
return k.put() + k.a
k.a += k.put(); return k.a
return np.add(k.a, k.put())
return k.a.dot(k.put())
return k.a[1:] + k.put()[1:]
return k.a[k.put() > 1]
return k.a < k.put()
return k.a.sum() + k.put()
return (k.a, k.put())
return [k.a, k.put()][0]
return {"x": k.a, "y": k.put()}
pair = (k.a, 1); k.put(); return pair[0]
xs = [k.a]; k.put(); return xs
xs = []; xs.append(k.a); k.put(); return xs
d = {}; d["x"] = k.a; k.put(); return d["x"]
x = k.a; k.put(); return x
return p + put(p)
return (p, put(p))
return p[1:] * put(p)
p += put(p); return p
return np.stack([p, p * put(p)])
return CELLS + set_cells()
return (CELLS, set_cells())
""".strip().splitlines(),
)
def test_a_call_changes_what_was_read_before_it(body):
    check_agrees(BOX + "".join(f"    {line}\n" for line in body.split("; ")), (np.arange(4),), keep=True)


def test_a_kept_constructor_gets_an_array_of_numpy():
    source = BOX + "    x = k.a\n    k.put()\n    return x\n\nprint(f(np.arange(4)))\n"
    check_program({"m.py": source})
