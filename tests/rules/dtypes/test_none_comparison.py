"""An array compared with None or with text."""

import pytest

from np2jax.tests.helpers.differential import convert, function, refused
from np2jax.tests.helpers.rule_examples import leaves, reports

test_reported = reports(__name__, function("return x == None"), function("return x != 'a'"))
test_left = leaves(__name__, function("return x is None"), function("return x == 3"))


def notes(text, **options):
    return {d.code for d in convert(text, **options)[2] if not d.fixed}


@pytest.mark.parametrize("comparison", ["x == None", "x != None", "None == x", "x == 'a'"])
def test_d17_arrays_compared_with_none(comparison):
    assert "NJ606" in refused(function(f"return {comparison}"))


def test_d17_arguments_compared_with_none():
    assert "NJ606" in notes("import numpy as np\n\ndef f(x=None):\n    if x == None:\n        return 0\n    return np.sum(x)\n")
    assert "NJ606" not in notes(
        "import numpy as np\n\ndef f(x=None):\n    if x is None:\n        return 0\n    return np.sum(x)\n"
    )
