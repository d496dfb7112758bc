"""User code that raises, hangs, exits, prints or changes its process: a clear verdict, and the rest is compared."""

import textwrap

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.verify import verify

BEFORE = """
import os, signal, subprocess, sys, threading, time
import numpy as np

def fine_1(x): return x + 1.0
def raises(x: float): raise ValueError("not for\\n anyone")
def hangs(x: np.ndarray):
    while True: pass
def exits(x: np.ndarray): os._exit(3)
def kills(x: np.ndarray): os.kill(os.getpid(), signal.SIGKILL)
def leaves(x: np.ndarray): sys.exit(0)
def fine_2(x): return x * 3.0
def prints(x: np.ndarray):
    for _ in range(10):
        print("noise" * 200_000)
        sys.stderr.write("noise" * 20_000)
    sys.stdout.flush()
    return x * 2.0
def writes_to_descriptors(x: np.ndarray):
    for number in range(3, 10):
        try: os.write(number, b"garbage" * 10)
        except OSError: pass
    return x - 1.0
def closes_descriptors(x: np.ndarray):
    os.closerange(3, 100)
    return x - 1.0
def moves(x: np.ndarray):
    os.chdir("/")
    np.seterr(all="raise")
    sys.stdout = None
    return x + 2.0
def starts_thread(x: np.ndarray):
    threading.Thread(target=time.sleep, args=(3600,)).start()
    return x + 3.0
def forks(x: np.ndarray):
    if os.fork() == 0:
        return x
    return x + 4.0
def saves(x: np.ndarray):
    np.save("out.npy", x)
    return x
def swallows(x: np.ndarray):
    try: os.remove("anything")
    except BaseException: pass
    return x
def runs_others(x: np.ndarray):
    subprocess.run(["true"])
    return x
def kills_others(x: np.ndarray):
    os.kill(os.getppid(), signal.SIGTERM)
    return x
def clock(x: np.ndarray): return x * time.perf_counter()
def unseeded(x: np.ndarray): return x + np.random.default_rng().normal()
def seeded(x: np.ndarray): return x + np.random.normal(size=x.shape)
CALLS = []
def remembers(x: np.ndarray):
    CALLS.append(1)
    return x + len(CALLS)
def recurses(x: np.ndarray): return recurses(x)
def asks(x: np.ndarray): return x * float(input())
def converted_hangs(x: np.ndarray): return x + 1.0
def converted_exits(x: np.ndarray): return x + 1.0
def converted_kills(x: np.ndarray): return x + 1.0
def converted_raises(x: np.ndarray): return x + 1.0
def converted_leaves(x: np.ndarray): return x + 1.0
def fine_3(x): return x - 5.0
"""

REPLACED = {
    "converted_hangs": "while True: pass",
    "converted_exits": "os._exit(7)",
    "converted_kills": "os.kill(os.getpid(), signal.SIGKILL)",
    "converted_raises": 'raise TypeError("two\\n lines")',
    "converted_leaves": "sys.exit('bye')",
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("children")
    after = BEFORE
    for name, body in REPLACED.items():
        after = after.replace(f"def {name}(x: np.ndarray): return x + 1.0", f"def {name}(x: np.ndarray):\n    {body}")
    for name, text in (("before", BEFORE), ("after", after)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(text)
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py", timeout=1.5, examples=3)
    assert not (folder / "before" / "out.npy").exists()
    return {function.name.removeprefix("code."): function for function in report.functions}


AGREES = [
    "fine_1",
    "fine_2",
    "fine_3",
    "prints",
    "writes_to_descriptors",
    "closes_descriptors",
    "moves",
    "starts_thread",
    "seeded",
    "unseeded",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", AGREES)
def test_what_surrounds_is_still_compared(verdicts, name):
    assert verdicts[name].verdict == "agrees", verdicts[name].summary


NOT_COMPARED = {
    "raises": "the best one raised ValueError: not for anyone",
    "hangs": "does not end within",
    "exits": "exit status 3",
    "kills": "SIGKILL",
    "leaves": "SystemExit",
    "saves": "writes the file out.npy",
    "swallows": "changes files",
    "runs_others": "starts another process",
    "kills_others": "signal to another process",
    "forks": "starts another process",
    "clock": "changes from call to call",
    "remembers": "changes from call to call",
    "recurses": "RecursionError",
    "asks": "",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NOT_COMPARED)
def test_not_compared_says_why(verdicts, name):
    assert verdicts[name].verdict == "not compared", verdicts[name].summary
    assert NOT_COMPARED[name] in verdicts[name].reason
    assert "\n" not in verdicts[name].reason


ERRORS = {
    "converted_hangs": "no answer within 4.5 s",
    "converted_exits": "it ends the process with exit status 7",
    "converted_kills": "it ends the process by SIGKILL",
    "converted_raises": "TypeError: two lines (code.py, line ",
    "converted_leaves": "SystemExit: bye",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ERRORS)
def test_an_error_in_the_converted_code(verdicts, name):
    assert verdicts[name].verdict == "error in converted", verdicts[name].summary
    assert ERRORS[name] in verdicts[name].reason and verdicts[name].call


def test_random_draws_start_from_the_same_seed(tmp_path):
    before = "import numpy as np\ndef draw(n: int): return np.random.normal(size=n)\n"
    report = two_files(tmp_path, before, before.replace("normal", "uniform"))
    assert report.functions[0].verdict == "differs"
    assert "random numbers" in report.functions[0].notes[0]


IMPORTS = {
    "sys.exit(2)": "SystemExit: 2",
    "raise ValueError('no')": "ValueError: no (code.py, line 2)",
    "import surely_not_there": "ModuleNotFoundError",
    "os._exit(5)": "exit status 5",
}


@pytest.mark.parametrize("line", IMPORTS)
@pytest.mark.parametrize("side", ["original", "converted"])
def test_a_module_that_cannot_be_imported(tmp_path, line, side):
    good, bad = "def f(x):\n    return x\n", f"import os, sys\n{line}\ndef f(x):\n    return x\n"
    report = two_files(tmp_path, bad if side == "original" else good, bad if side == "converted" else good)
    verdict = report.functions[0]
    assert verdict.verdict == ("not compared" if side == "original" else "error in converted")
    assert IMPORTS[line] in verdict.reason


def test_a_file_that_does_not_parse(tmp_path):
    report = two_files(tmp_path, "def f(:\n", "x = 1\n")
    assert report.functions == () and "does not parse" in report.problems[0] and not report.ok


def two_files(folder, before, after):
    for name, text in (("before", before), ("after", after)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(textwrap.dedent(text))
    return verify(folder / "before" / "code.py", folder / "after" / "code.py", timeout=2, examples=3)


def test_a_process_that_cannot_start(tmp_path, monkeypatch):
    from np2jax.runtime_shim.sandbox import process
    from np2jax.runtime_shim.values.errors import ShimError

    (tmp_path / "boot.py").write_text("raise ImportError('numpy is broken')\n")
    monkeypatch.setattr(process, "BOOT", tmp_path / "boot.py")
    with pytest.raises(ShimError, match="could not start: ImportError: numpy is broken"):
        two_files(tmp_path, "def f(x):\n    return x\n", "def f(x):\n    return x\n")


@pytest.mark.parametrize(("chosen", "expected"), [(None, "false"), ("true", "true")])
def test_processes_share_the_memory_of_a_gpu_unless_told_otherwise(monkeypatch, chosen, expected):
    from np2jax.runtime_shim.sandbox.process import environment

    monkeypatch.delenv("XLA_PYTHON_CLIENT_PREALLOCATE", raising=False)
    if chosen:
        monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", chosen)
    assert environment()["XLA_PYTHON_CLIENT_PREALLOCATE"] == expected
