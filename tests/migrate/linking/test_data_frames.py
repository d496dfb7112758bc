"""Data frames have `.max`, `.shape` and the like, too: only functions that may get one are left in doubt."""

import pytest

from np2jax.tests.helpers.differential import convert_project

KERNEL = """
import numpy as np


def bins(data, radius, n):
    largest = radius.max()
    result = np.zeros(n)
    for i in range(n):
        inside = np.logical_and(largest * i / n <= radius, radius < largest * (i + 1) / n)
        result[i] = data[inside].mean()
    return result
"""


def transform(files):
    files = {"pkg/__init__.py": "", "pkg/kernel.py": KERNEL} | files
    _texts, functions, _diagnostics = convert_project(files, placement="fast")
    return next(function.transform for name, function in functions.items() if name.endswith("bins"))


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"pkg/plot.py": "import pandas as pd\n\n\ndef table(x):\n    return pd.DataFrame(x)\n"},
        {"pkg/plot.py": "import pandas as pd\n", "pkg/times.py": "from . import plot\n"},
    ],
)
def test_arrays(files):
    assert transform(files) == "jit"


@pytest.mark.parametrize(
    "files",
    [
        {"pkg/plot.py": "import pandas as pd\nfrom . import kernel\n"},
        {"pkg/plot.py": "import pandas as pd\nfrom pkg.kernel import bins\n"},
        {"pkg/plot.py": "import pandas as pd\n", "pkg/main.py": "from . import plot, kernel\n"},
        {"pkg/plot.py": "import pandas as pd\nfrom .middle import f\n", "pkg/middle.py": "from .kernel import bins as f\n"},
        {"pkg/kernel.py": KERNEL + "\nfrom .plot import table\n", "pkg/plot.py": "import pandas as pd\n"},
        {"pkg/__init__.py": "from .kernel import bins\n", "pkg/plot.py": "import pandas as pd\nimport pkg\n"},
    ],
)
def test_what_may_be_data_frames(files):
    assert transform(files) != "jit"
