"""The files that programs write: both versions write the same ones, with the same numbers in them."""

import io

import numpy as np
import pytest

from np2jax.runtime_shim.verification.written_files import files_differ, files_of


def npy(*numbers):
    stream = io.BytesIO()
    np.save(stream, np.array(numbers))
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


BROKEN = npz(x=1.0)[:-30]


@pytest.mark.parametrize(
    ("want", "got", "reason"),
    [
        ({"a.txt": b"x 1.0\n"}, {"a.txt": b"x 1.0000000000000002\n"}, ""),
        ({"a.txt": b"x 1.0\n"}, {"a.txt": b"x 2.0\n"}, "the file a.txt: line 1 of it: the original 'x 1.0', converted 'x 2.0'"),
        ({"a.txt": b"x\n"}, {}, "it does not write the file a.txt, as the original does"),
        ({}, {"a.txt": b"x\n"}, "it writes the file a.txt, which the original does not do"),
        ({"a.npy": npy(1.0)}, {"a.npy": npy(1.0 + 1e-15)}, ""),
        ({"a.npy": npy(1.0)}, {"a.npy": npy(1.5)}, "the file a.npy: array[0]: the values differ: NumPy 1.0, converted 1.5"),
        ({"a.npz": npz(x=1.0, y=2)}, {"a.npz": npz(y=2, x=1.0 + 1e-15)}, ""),
        (
            {"a.npz": npz(x=1.0, y=2)},
            {"a.npz": npz(x=1.0, y=3)},
            "the file a.npz: the file y.npy: array: the values differ: NumPy 2, converted 3",
        ),
        (
            {"a.npz": npz(x=1.0, y=2)},
            {"a.npz": npz(x=1.0)},
            "the file a.npz: it does not write the file y.npy, as the original does",
        ),
        ({"a.npz": BROKEN}, {"a.npz": npz(x=2.0)}, ""),
        ({"a.png": b"\xff\x00"}, {"a.png": b"\xff\x01"}, ""),
        ({"a.bin": None}, {"a.bin": b"1"}, ""),
    ],
)
def test_contents_are_compared(want, got, reason):
    assert files_differ(want, got, "float64") == reason


def test_what_was_written_since(tmp_path):
    (tmp_path / "old.txt").write_text("old")
    before = files_of(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/x.pyc").write_text("cache")
    (tmp_path / "new.txt").write_text("new")
    assert before.written() == {"new.txt": b"new"}
    (tmp_path / "old.txt").write_text("older")
    assert sorted(before.written()) == ["new.txt", "old.txt"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('np.savetxt("sums.txt", s)', ""),
        ("pass", "it does not write the file sums.txt"),
        ('np.savetxt("sums.txt", s + 1)', "the file sums.txt: line 1 of it"),
        ('np.savetxt("sums.txt", s); np.savetxt("more.txt", s)', "it writes the file more.txt"),
    ],
)
def test_files_of_programs_are_compared(tree, line, words):
    pytest.importorskip("jax")
    from np2jax.runtime_shim.verification.verify import verify

    text = 'import numpy as np\n\nif __name__ == "__main__":\n    s = np.arange(3.0).cumsum()\n    '
    root = tree({"before/main.py": text + 'np.savetxt("sums.txt", s)\n', "after/main.py": text + line + "\n"})
    (program,) = verify(root / "before", root / "after").programs
    assert program.verdict == ("differs" if words else "agrees")
    assert words in program.reason
