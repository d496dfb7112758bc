"""Recording: what the project's functions were called with, whatever becomes of the program."""

import json
import sys
import zipfile

import numpy as np
import pytest

from np2jax.runtime_shim.sandbox.program_runner import program
from np2jax.runtime_shim.sandbox.recording_process import overlap
from np2jax.runtime_shim.values.errors import ShimError
from np2jax.runtime_shim.values.evidence import Evidence, read, relocated, write
from np2jax.runtime_shim.values.snapshot import Array
from np2jax.runtime_shim.verification.record import record

PROGRAM = {
    "shapes/__init__.py": "",
    "shapes/area.py": """
import numpy as np

class Box:
    def __init__(self, sides):
        self.sides = np.asarray(sides)
    def volume(self, scale=1.0):
        return scale * self.sides.prod()
    @classmethod
    def unit(cls, n): return cls(np.ones(n))
    @staticmethod
    def double(x): return 2 * x

def total(x, *rest, weight=1.0, **more):
    x += 1.0
    return weight * x.sum() + sum(rest)

def many(x): return x
def apply(f, x): return f(x)
def locked(lock, x): return x
def stream(n):
    for i in range(n):
        yield i
""",
    "main.py": """
import sys, threading
import numpy as np
from shapes.area import Box, apply, locked, many, stream
from shapes import area

def main(how):
    a = np.zeros(3)
    print(area.total(a, 1, 2, weight=2.0, extra="e"))
    print(Box.unit(2).volume(), Box([1.0, 2.0]).volume(scale=3.0), Box.double(4))
    for i in range(50):
        many(np.arange(i % 2 + 1))
    apply(np.sin, a)
    apply(many, a)
    locked(threading.Lock(), a)
    list(stream(3))
    nested = lambda x: x
    nested(1)

if __name__ == "__main__":
    main(sys.argv[1])
    if sys.argv[1] == "fails": sys.exit(4)
    if sys.argv[1] == "exits":
        import os; os._exit(5)
    if sys.argv[1] == "hangs":
        while True: pass
""",
}


@pytest.fixture
def recorded(tree, monkeypatch, capfd):
    """Records the program in one of its ways: (recording, evidence, what it printed)."""
    folder = tree(PROGRAM)
    monkeypatch.chdir(folder)

    def run(how, *command, timeout=30.0):
        line = command or (sys.executable, "main.py", how)
        found = record(line, [folder], folder / "seen.np2jax", timeout)
        return found, read(folder / "seen.np2jax"), capfd.readouterr().out

    return run


def test_what_is_recorded(recorded):
    found, evidence, printed = recorded("well")
    assert found.status == 0 and printed.splitlines() == ["9.0", "1.0 6.0 8"]
    names = {name for file, name in evidence.calls if file == "shapes/area.py"}
    assert names == {"total", "Box.__init__", "Box.volume", "Box.unit", "Box.double", "many", "apply"}
    assert ("main.py", "main") in evidence.calls
    (call,) = evidence.calls["shapes/area.py", "total"]
    x, *rest = call.positional
    assert isinstance(x, Array) and x.data.tolist() == [0.0, 0.0, 0.0]  # before the call changed it
    assert rest == [1, 2] and call.keywords == {"weight": 2.0, "extra": "e"}


def test_distinct_calls_are_kept_and_not_all(recorded):
    _, evidence, _ = recorded("well")
    many = [call.positional[0].data.shape for call in evidence.calls["shapes/area.py", "many"]]
    assert set(many) == {(1,), (2,), (3,)} and len(many) <= 12


def test_instances_and_functions_are_stored_by_name(recorded):
    _, evidence, _ = recorded("well")
    box = evidence.calls["shapes/area.py", "Box.volume"][0].positional[0]
    assert (box.kind, box.name) == ("object", "shapes/area.py::Box") and box.items[1].data.tolist() == [1.0, 1.0]
    names = {call.positional[0].name for call in evidence.calls["shapes/area.py", "apply"]}
    assert names == {"numpy:sin", "shapes/area.py::many"}


def test_what_cannot_be_stored_is_said(recorded):
    found, evidence, _ = recorded("well")
    assert any("locked" in name and "lock" in reason for name, reason in found.skipped)
    assert ("shapes/area.py", "locked") not in evidence.calls or not evidence.calls["shapes/area.py", "locked"]


@pytest.mark.parametrize(("how", "status"), [("fails", 4), ("exits", 5)])
def test_evidence_outlives_the_program(recorded, how, status):
    found, evidence, _ = recorded(how)
    assert found.status == status and ("shapes/area.py", "total") in evidence.calls


def test_a_program_that_hangs(recorded):
    found, evidence, _ = recorded("hangs", timeout=6.0)
    assert found.status is None and ("shapes/area.py", "total") in evidence.calls


def test_modules_code_and_tests(recorded, tree):
    test = "import numpy as np\nfrom shapes.area import many\ndef test_many():\n    assert many(np.ones(7)).all()\n"
    tree({"test_area.py": test})
    _, evidence, _ = recorded("", sys.executable, "-m", "main", "well")
    assert ("shapes/area.py", "total") in evidence.calls
    _, evidence, _ = recorded("", sys.executable, "-c", "from shapes.area import many; many(3)")
    assert evidence.calls["shapes/area.py", "many"][0].positional == (3,)
    found, evidence, _ = recorded("", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_area.py")
    assert found.status == 0 and evidence.calls["shapes/area.py", "many"][0].positional[0].data.shape == (7,)


def test_the_file_is_a_zip_of_json_and_arrays_without_pickle(recorded, tmp_path):
    recorded("well")
    with zipfile.ZipFile(tmp_path / "seen.np2jax") as archive:
        data = json.loads(archive.read("evidence.json"))
        assert data["format"] == "np2jax evidence" and str(tmp_path) not in json.dumps(data)
        for name in archive.namelist():
            assert name == "evidence.json" or archive.read(name).startswith(b"\x93NUMPY")
    (total,) = [function for function in data["functions"] if function["name"] == "total"]
    assert total["calls"][0]["v"][0]["v"][0]["dtype"] == "<f8" and total["calls"][0]["v"][0]["v"][0]["shape"] == [3]


def test_evidence_of_another_root_is_matched_by_the_end_of_its_paths(recorded):
    _, evidence, _ = recorded("well")
    moved = relocated(evidence, ["project/shapes/area.py", "project/main.py", "project/other.py"])
    box = moved.calls["project/shapes/area.py", "Box.volume"][0].positional[0]
    assert box.name == "project/shapes/area.py::Box"
    assert not relocated(evidence, ["one/shapes/area.py", "two/shapes/area.py"]).calls


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([], "no command"),
        (["surely-not-there"], "no such command"),
        (["ls"], "only Python programs"),
        ([sys.executable], "name a script"),
        ([sys.executable, "not_there.py"], "not_there.py: no such file"),
    ],
)
def test_commands_that_cannot_be_observed(command, words):
    with pytest.raises(ShimError, match=words):
        program(command)


def test_options_of_the_interpreter_are_kept():
    found = program([sys.executable, "-X", "dev", "-W", "error", "-u", "-m", "json.tool", "x"])
    assert found.interpreter[1:] == ("-X", "dev", "-W", "error", "-u") and (found.kind, found.target) == ("module", "json.tool")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04"])
def test_a_file_that_is_no_evidence(tmp_path, content):
    path = tmp_path / "seen"
    path.write_bytes(content)
    with pytest.raises(ShimError, match="not an evidence file"):
        read(path)
    with pytest.raises(ShimError, match="cannot be read"):
        read(tmp_path / "absent")


def test_evidence_that_cannot_be_written(tmp_path):
    with pytest.raises(ShimError, match="cannot be written"):
        write(Evidence(), tmp_path / "absent" / "seen")


def test_pickled_arrays_in_evidence_are_refused(tmp_path):
    path = tmp_path / "seen"
    np.savez(path, evil=np.array([print], dtype=object))
    data = {"format": "np2jax evidence", "version": 1, "functions": []}
    with zipfile.ZipFile(path.with_suffix(".npz")) as old, zipfile.ZipFile(path, "w") as new:
        new.writestr("evidence.json", json.dumps(data))
        new.writestr("arrays/0.npy", old.read("evil.npy"))
    with pytest.raises(ShimError, match="not an evidence file"):
        read(path)


def test_arguments_that_share_memory_are_not_replayed_as_if_they_did_not():
    whole = np.zeros(4)
    assert overlap([whole[1:], whole[:-1]]) and overlap([whole, 1, whole.reshape(2, 2)])
    assert not overlap([whole, whole]) and not overlap([whole, np.zeros(4)]) and not overlap([whole[:2], whole[2:]])
