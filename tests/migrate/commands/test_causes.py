"""How many functions each cause leaves as NumPy: in reports, and the most frequent one in the output of `convert`."""

import json

import pytest

from np2jax.migrate.commands.report import Cause, as_markdown, causes, summary
from np2jax.tests.helpers.differential import convert

CHAIN = """
import numpy as np


def loud(x: np.ndarray):
    print(x)
    return np.sin(x) + np.cos(x) * np.exp(x)


def middle(x: np.ndarray):
    return loud(x) * np.sin(x) + np.cos(x)


def outer(x: np.ndarray):
    return middle(x) * np.sin(x) + np.cos(x)


def other(x: np.ndarray):
    print(x.shape)
    return np.sin(x) + np.cos(x) * np.exp(x)


def alone(x: np.ndarray):
    if np.any(x < 0):
        raise ValueError("negative")
    return np.sqrt(x) * np.exp(x)


class C:
    def method(self, x: np.ndarray):
        return np.sqrt(x) * np.exp(x)


def compiled(x: np.ndarray):
    y = np.sqrt(x) * 2.0 + np.exp(-x)
    return y * np.sin(y) + np.cos(y) ** 2
"""


def found(text, **options):
    _text, functions, _diagnostics = convert(text, placement="fast", **options)
    return causes(list(functions.values())), functions


def test_callers_count_for_the_cause_of_what_they_call():
    made, functions = found(CHAIN)
    assert made[0] == Cause(4, "NJ506", "not compiled: it calls `…`", "m.loud")
    assert functions["outer"].cause == functions["middle"].cause == "m.loud"
    assert not functions["loud"].cause
    assert not functions["compiled"].cause
    assert sum(cause.functions for cause in made) == len(
        [f for f in functions.values() if f.label in ("kept", "host") and f.uses_numpy]
    )


def test_functions_that_call_each_other():
    text = "import numpy as np\n\n\ndef a(x: np.ndarray):\n    print(x)\n    return b(np.sin(x))\n\n\ndef b(x: np.ndarray):\n    return a(np.cos(x)) + a(np.sin(x))\n"
    made, _functions = found(text)
    assert sum(cause.functions for cause in made) == 2


def test_a_method_says_why_it_is_not_compiled():
    made, _functions = found(CHAIN)
    little = "not compiled: it does little, which takes NumPy less time than to call compiled code"
    assert Cause(1, "NJ506", little, "m.C.method") in made
    larger = "        y = self.f(np.sin(x), np.cos(x), np.tan(x))\n" * 4 + "        return y\n"
    made, _functions = found(f"import numpy as np\n\n\nclass C:\n    def method(self, x: np.ndarray):\n{larger}")
    assert Cause(1, "NJ506", "not compiled: it is a method, and jit does not trace objects", "m.C.method") in made
    number = "import numpy as np\n\nZERO = np.zeros(3)\n\n\nclass C:\n    def method(self, n):\n        return [n] * 3\n"
    assert found(number)[1]["C.method"].reason == "not compiled: it computes nothing with arrays"


def test_nothing_stays():
    assert (
        found("import numpy as np\n\n\ndef f(x: np.ndarray):\n    y = np.sqrt(x) * 2 + np.exp(-x)\n    return y * np.sin(y)\n")[0]
        == []
    )


def test_code_without_numpy_counts_for_nothing():
    assert found("def f(x):\n    print(x)\n\n\nclass C:\n    def m(self):\n        return 1\n")[0] == []


def test_reports(np2jax, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(CHAIN)
    status, out, _err = np2jax("convert", "m.py", "-o", "out", "--report", "r.json", "--report", "r.md")
    assert status == 0
    assert "the most frequent cause, for 4 functions that stay NumPy: not compiled: it calls `…` (NJ506)" in out.splitlines()
    made = json.loads((tmp_path / "r.json").read_text())["summary"]["by_cause"]
    assert made[0] == {"functions": 4, "code": "NJ506", "reason": "not compiled: it calls `…`", "example": "m.loud"}
    table = (tmp_path / "r.md").read_text()
    assert "| functions | stay NumPy because | for example |" in table
    assert "| 4 | NJ506 not compiled: it calls `…` | `m.loud` |" in table


def test_the_table_is_short():
    _made, functions = found(CHAIN)
    outcomes = [functions["loud"]._replace(name=f"m.f{i}", reason=f"reason {chr(97 + i)}") for i in range(20)]
    assert len(causes(outcomes)) == 20 == len(summary(outcomes)["by_cause"])
    from np2jax.migrate.project.outcome import Conversion

    text = as_markdown(Conversion((), tuple(outcomes)))
    assert "| 8 | other causes | |" in text


@pytest.mark.parametrize("count", [0, 1])
def test_a_single_function_needs_no_line(np2jax, tmp_path, monkeypatch, count):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(
        "import numpy as np\n" + "\n\ndef f(x: np.ndarray):\n    print(x)\n    return np.sin(x)\n" * count
    )
    _status, out, _err = np2jax("convert", "m.py", "-o", "out")
    assert "most frequent" not in out
