"""A dtype of 64 bits where the precision is float32."""

import pytest

from np2jax.tests.helpers.differential import convert, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__, found=False)
test_left = leaves(__name__, function("return np.zeros(3, dtype=np.float32)"))


@pytest.mark.parametrize(
    ("wide", "narrow"), [("float64", "float32"), ("int64", "int32"), ("complex128", "complex64"), ("f8", "f4"), ("D", "F")]
)
def test_narrowed(wide, narrow):
    text, _functions, diagnostics = convert(function(f'return np.zeros(3, dtype="{wide}")'), precision="float32")
    assert f'dtype="{narrow}"' in text
    assert "NJ608" in {diagnostic.code for diagnostic in diagnostics}


def test_other_parameters_and_functions_stay():
    text = convert(function('return np.zeros(3), print("float64")'), precision="float32")[0]
    assert 'print("float64")' in text
