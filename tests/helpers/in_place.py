"""Integer-valued arrays in many dtypes, and one-line functions that change them."""

import numpy as np

DTYPES = [np.float64, np.float32, np.int64, np.int8, np.bool_, np.complex128]


def sample(dtype, shape=(6,), seed=0):
    numbers = np.random.default_rng(seed).integers(-5, 6, shape)
    return np.asarray(numbers % 2 == 0) if dtype is np.bool_ else np.asarray(numbers, dtype)


def function(body, params="a: np.ndarray"):
    return f"import numpy as np\n\ndef f({params}):\n    {body}\n"
