"""What `convert --evidence` takes over from recorded calls: which parameters were arrays, numbers and strings."""

import json
import zipfile

import pytest

from np2jax.migrate.project import recorded_calls
from np2jax.migrate.project.failure import Failure
from np2jax.tests.helpers.differential import convert

FILL = """
import numpy as np


def fill(p, h):
    for i in range(3):
        p[i] *= i * h


def run(items):
    print(items)
    for item in items:
        fill(item, 0.5)
"""


def array(*shape, kind="ndarray"):
    return {"k": "array", "a": 0, "dtype": "<f8", "shape": [*shape], "o": kind, "i": 1}


def call(*positional, **named):
    pairs = [each for pair in named.items() for each in pair]
    return {"k": "call", "n": "", "v": [{"k": "tuple", "v": [*positional]}, {"k": "dict", "v": pairs}], "i": 0}


def evidence(path, *calls, file="m.py", name="fill", version=1):
    functions = [{"file": file, "name": name, "calls": [*calls], "skipped": []}]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("evidence.json", json.dumps({"format": "np2jax evidence", "version": version, "functions": functions}))
    return recorded_calls.read(path)


def test_kinds_that_all_calls_have_in_common(tmp_path):
    first = call(array(3), 1, True, "a", array(2, kind="matrix"), [1.0], w=array(2, 2), once=1)
    second = call(array(2, 2), 0.5, False, "b", array(2), [2.0], w=array(1, 1))
    (found,) = evidence(tmp_path / "e.zip", first, second)
    assert found.positional == ("array", "number", "bool", "text", "", "")
    assert found.named == (("w", "array 2"),) and found.calls == 2


def test_a_function_converts_that_nothing_else_tells_about(tmp_path):
    known = evidence(tmp_path / "e.zip", call(array(3), 0.5))
    assert convert(FILL)[1]["fill"].label != "assumed"
    text, functions, _diagnostics = convert(FILL, recorded=known)
    assert functions["fill"].label == "assumed" and "jax" in text
    words = [each.words for each in functions["fill"].conditions if each.kind == "recorded"]
    assert {*words} == {"`p` is an array of 1 dimension, as in the recorded calls", "`h` is a float, as in the recorded calls"}


@pytest.mark.parametrize("file", ["other/m.py", "n.py"])
def test_calls_of_a_function_in_another_file_say_nothing(tmp_path, file):
    known = evidence(tmp_path / "e.zip", call(array(3), 0.5), file=file)
    assert convert(FILL, recorded=known)[0] == convert(FILL)[0]


def test_what_the_code_says_counts_more(tmp_path):
    known = evidence(tmp_path / "e.zip", call(array(3), 0.5))
    before = FILL.replace("(p, h)", "(p: list, h: float)")
    assert convert(before, recorded=known)[0] == convert(before)[0]


def test_files_that_are_no_evidence(tmp_path):
    path = tmp_path / "e.zip"
    with pytest.raises(Failure, match="cannot be read: No such file"):
        recorded_calls.read(path)
    path.write_bytes(b"\x00\x01")
    with pytest.raises(Failure, match="not an evidence file"):
        recorded_calls.read(path)
    with pytest.raises(Failure, match="of this version"):
        evidence(path, call(1), version=2)
    with pytest.raises(Failure, match="not an evidence file"):
        evidence(path, {"v": 3})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("evidence.json", "[" * 100_000)
    with pytest.raises(Failure, match="not an evidence file"):
        recorded_calls.read(path)


def test_a_file_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded_calls, "LARGEST", 10)
    with pytest.raises(Failure, match="larger than"):
        evidence(tmp_path / "e.zip", call(1))


def test_a_file_that_np2jax_records_is_read(tmp_path, np2jax, tree):
    tree({"m.py": FILL, "run.py": "import numpy as np\nfrom m import fill\n\nfill(np.ones(3), 0.5)\n"})
    status, _out, err = np2jax("record", "-o", str(tmp_path / "e.zip"), "--", "python", "run.py")
    assert status == 0, err
    (found,) = (each for each in recorded_calls.read(tmp_path / "e.zip") if each.name == "fill")
    assert found.positional == ("array 1", "float") and found.file == "m.py"


IN_THE_PROJECT = """import numpy as np


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * np.sin(x[i])
    return s


def _use(n):
    return total(np.linspace(0.0, 1.0, n))
"""


def test_a_public_function_whose_rank_its_callers_tell_is_not_proved():
    known = convert(IN_THE_PROJECT, placement="fast")[1]["total"]
    assert known.label == "assumed"
    assert [c.words for c in known.conditions] == ["`x` is an array of 1 dimension, as in the calls of the project"]
    script = convert(IN_THE_PROJECT.replace("_use", "use") + "\n\nprint(use(3))\n", placement="fast")[1]["total"]
    assert script.label == "proved"
