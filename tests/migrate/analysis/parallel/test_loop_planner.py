"""Which form each loop gets, best first."""

import textwrap

import pytest

from np2jax.migrate.analysis.parallel import loop_planner
from np2jax.tests.helpers.differential import convert

FORMS = {
    "Parallel": "for i in range(len(x)):\n    y[i] = 2 * x[i]",
    "ParallelReduction": "s = 0.0\nfor v in x:\n    s += v * v\ny[0] = s",
    "Search": "k = -1\nfor i in range(len(x)):\n    if x[i] > 0.5:\n        k = i\n        break\ny[0] = k",
    "Distributed": "for i in range(len(x)):\n    s = 0.0\n    for j in range(len(z)):\n        s += x[i] * z[j]\n    y[i] = np.sqrt(s)",
    "Prefix": "for i in range(1, len(x)):\n    y[i] = y[i - 1] + x[i]",
    "Recurrence": "for i in range(1, len(x)):\n    y[i] = np.sin(y[i - 1]) + x[i]",
    "Accumulation": "ys = []\ns = 0.0\nfor v in x:\n    s = 0.5 * s + v * s\n    ys.append(s)\ny = np.array(ys)",
    "While": "s = x[0]\nwhile s < 9:\n    s = s * s + 1\ny[0] = s",
    "Scan": "s = 0.0\nfor v in x:\n    s = np.sin(s) + v\ny[0] = s",
    "Fori": "s = 0.0\nfor i in range(len(x)):\n    s = np.sin(s) + i * x[i]\ny[0] = s",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form, monkeypatch):
    found = []
    first = loop_planner._first

    def recorded(forms, of):
        plan = first(forms, of)
        found.append(plan)
        return plan

    monkeypatch.setattr(loop_planner, "_first", recorded)
    body = textwrap.indent(FORMS[form], "    ")
    convert(f"import numpy as np\n\n\ndef f(x: np.ndarray, z: np.ndarray):\n    y = np.zeros(len(x))\n{body}\n    return y, z\n")
    planned = [type(plan).__name__ for plan in found if plan is not None]  # inner loops first
    assert planned[-1] == form
