"""Whole programs and trees: exit status, printed lines, recorded calls of functions and methods."""

import signal
import sys
import threading
import time

import pytest

from np2jax.runtime_shim.sandbox import program_runner
from np2jax.runtime_shim.sandbox.staging import stage
from np2jax.runtime_shim.verification import program_comparison
from np2jax.runtime_shim.verification.printed_output import PRINTED, compare_output, lost_message

SAME = [
    ("", ""),
    ("a 1 b 2.5\n", "a 1 b 2.5\n"),
    ("x = 0.1234567\n", "x = 0.1234568\n"),
    ("x = -0.00", "x = 0.00"),
    ("x = 0.0", "x = 1.1102230246251565e-16"),
    ("[1.0e+03 2.0e-13]", "[1.0e+03 3.0e-13]"),
    ("z = (1.5+2j)", "z = (1.5+2j)"),
    ("x = 1.00000001e-05", "x = 1.00000002e-05"),
    ("[1.  2.5]", "[1. 2.5]"),
    ("array([1., 2.])", "Array([1., 2.], dtype=float64)"),
    ("np.float64(1.5)", "Array(1.5, dtype=float64, weak_type=True)"),
    ("(np.float64(1.5), 2)", "(Array(1.5, dtype=float64), 2)"),
    ("nan inf", "nan inf"),
    ("took 0.5 s", "took 1.5 s"),
]


@pytest.mark.parametrize(("want", "got"), SAME)
def test_output_that_is_the_same(want, got):
    assert compare_output(want, got, PRINTED["float64"]).reason == ""


OTHER = [
    ("a\n", "b\n"),
    ("1\n", "2\n"),
    ("x = 0.1234\n", "x = 0.1244\n"),
    ("x = 123456.0\n", "x = 123457.5\n"),
    ("x = 0.12345\n", "x = 0.12346\n"),
    ("loss 1.0", "loss 0.9"),
    ("[1. 1. 1.]", "[0. 0. 0.]"),
    ("[1.e+10 0.e+00 0.e+00]", "[0. 0. 0.]"),
    ("1e-09", "0.0"),
    ("[1.0e+03 2.0e-09]", "[1.0e+03 3.0e-09]"),
    ("[1 2]", "[1. 2.]"),
    ("n = 3", "n = 3.0"),
    ("100\n", "101\n"),
    ("a\nb\n", "a\n"),
    ("a\n", "a\nb\n"),
    ("nan", "1.0"),
    ("inf", "-inf"),
    ("step 1: 0.5", "step 2: 0.5"),
    ("v2", "v3"),
    ("True", "False"),
]


@pytest.mark.parametrize(("want", "got"), OTHER)
def test_output_that_differs(want, got):
    assert compare_output(want, got, PRINTED["float64"]).reason


@pytest.mark.parametrize(
    ("want", "got", "same"), [("0.05", "0.06", False), ("0.555", "0.556", True), ("1.", "0.", False), ("0.5", "0.52", False)]
)
def test_output_in_single_precision(want, got, same):
    assert (compare_output(want, got, PRINTED["float32"]).reason == "") is same


def test_timings_are_noted():
    printed = compare_output("a\nelapsed: 3.2 ms\n", "a\nelapsed: 1 hour\n", PRINTED["float64"])
    assert printed.reason == "" and "timings" in printed.notes[0]


@pytest.mark.parametrize(
    ("want", "again", "got", "same"),
    [
        ("at time 0.5 energy 1.5", "at time 0.5 energy 1.5", "at time 0.5 energy 7.0", False),
        ("t = 0.5 s, x = 1.5", "t = 0.5 s, x = 1.5", "t = 0.5 s, x = 7.0", False),
        ("took 0.5 s", "took 0.5 s", "took 0.7 s", True),
        ("time: 0.51", "time: 0.52", "time: 0.7", True),
        ("time: 0.0", "time: 0.0", "time: 0.7", True),
        ("2 times faster", "2 times faster", "3 times faster", False),
    ],
)
def test_lines_that_the_original_repeats_are_not_timings(want, again, got, same):
    printed = compare_output(want, got, PRINTED["float64"], again)
    assert (printed.reason == "") is same
    first = compare_output(want, got, PRINTED["float64"])
    assert first.reason == "" and first.perhaps_timings >= (not same)


MAIN = """
import sys
import numpy as np
from model.state import Particles, energy, step

def main():
    particles = Particles(np.arange(3.0), np.ones(3))
    for _ in range(4):
        particles.advance(0.5)
        step(particles.x, particles.v, 0.1)
    print("energy", energy(particles.v), particles.describe())

if __name__ == "__main__":
    main()
"""

STATE = """
import numpy as np

class Particles:
    def __init__(self, x, v):
        self.x, self.v = x, v
    def advance(self, dt):
        self.x += dt * self.v
        return self
    def describe(self):
        return {"mean": self.x.mean(), "count": len(self.x)}

def step(x, v, dt):
    v *= 1.0 - dt
    x += v * dt

def energy(v):
    return 0.5 * (v**2).sum()

def unused(flag: bool, x: np.ndarray): return x if flag else -x
"""

CONVERTED_MAIN = MAIN.replace(
    "import numpy as np", 'import jax\n\njax.config.update("jax_enable_x64", True)\nimport jax.numpy as np'
).replace("step(particles.x, particles.v, 0.1)", "particles.x, particles.v = step(particles.x, particles.v, 0.1)")

CONVERTED_STATE = (
    STATE.replace("import numpy as np", "import jax\nimport numpy as np")
    .replace("self.x += dt * self.v", "self.x = self.x + dt * self.v")
    .replace("def step", "@jax.jit\ndef step")
    .replace("    v *= 1.0 - dt\n    x += v * dt\n", "    v = v * (1.0 - dt)\n    x = x + v * dt\n    return x, v\n")
    .replace("def energy", "@jax.jit\ndef energy")
)


def two_trees(tree, main=CONVERTED_MAIN, state=CONVERTED_STATE, **how):
    pytest.importorskip("jax")
    from np2jax.runtime_shim.verification.verify import verify

    before = {"before/main.py": MAIN, "before/model/__init__.py": "", "before/model/state.py": STATE}
    folder = tree(before | {"after/main.py": main, "after/model/__init__.py": "", "after/model/state.py": state})
    report = verify(folder / "before", folder / "after", **{"examples": 4, "timeout": 5.0, **how})
    return {function.name: function for function in report.functions}, report


@pytest.mark.slow
def test_a_tree_with_a_program(tree):
    functions, report = two_trees(tree)
    assert report.ok, report.to_text()
    (program,) = report.programs
    assert (program.file, program.verdict, program.lines) == ("main.py", "agrees", 1)
    verdicts = {name: function.verdict for name, function in functions.items()}
    assert verdicts.pop("main.main") == "not compared"
    assert set(verdicts.values()) == {"agrees"}, report.to_text()
    assert functions["model.state.step"].recorded == 2 and functions["model.state.step"].generated > 0
    assert functions["model.state.Particles.advance"].recorded >= 1
    assert functions["model.state.Particles.__init__"].recorded == 1
    assert functions["model.state.unused"].recorded == 0 and functions["model.state.unused"].generated > 0
    assert report.notes == ()


@pytest.mark.slow
def test_what_only_prints_is_run_by_the_program_alone(tree, tmp_path):
    """The program's output was compared, and there is nothing else to compare: it may take long."""
    ran = tmp_path / "ran"
    main = CONVERTED_MAIN.replace("    print(", f"    open({str(ran)!r}, 'a').write('.')\n    print(")
    functions, report = two_trees(tree, main=main)
    assert report.ok and functions["main.main"].verdict == "not compared" and "returns nothing" in functions["main.main"].reason
    assert ran.read_text() == "."


@pytest.mark.slow
def test_differences_that_only_the_program_shows(tree):
    lost = CONVERTED_MAIN.replace("particles.x, particles.v = step", "step")
    functions, report = two_trees(tree, main=lost)
    assert not report.ok and report.programs[0].verdict == "differs" and "energy" in report.programs[0].reason
    assert functions["model.state.step"].verdict == "agrees"


@pytest.mark.slow
def test_methods_are_compared_by_the_attributes_they_change(tree):
    state = CONVERTED_STATE.replace("self.x = self.x + dt * self.v", "self.x = self.x - dt * self.v")
    functions, _ = two_trees(tree, state=state)
    verdict = functions["model.state.Particles.advance"]
    assert verdict.verdict == "differs" and ".x[" in verdict.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("raise RuntimeError('broken')", "exit status 1: RuntimeError: broken"),
        ("sys.exit(3)", "exit status 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
    ],
)
def test_a_program_that_ends_otherwise(tree, line, words):
    _, report = two_trees(tree, main=CONVERTED_MAIN + f"    {line}\n")
    assert report.programs[0].verdict == "error in converted" and words in report.programs[0].reason


@pytest.mark.slow
def test_a_program_that_hangs(tree):
    _, report = two_trees(tree, main=CONVERTED_MAIN + "    while True: pass\n", timeout=1.5)
    assert report.programs[0].verdict == "error in converted" and "does not end within 9 s" in report.programs[0].reason


@pytest.mark.slow
def test_an_original_that_fails_or_changes_says_nothing(tree):
    pytest.importorskip("jax")
    from np2jax.runtime_shim.verification.verify import verify

    guard = 'if __name__ == "__main__":\n    '
    files = {
        "fails.py": f"{guard}raise ValueError('mine')\n",
        "changes.py": f"import os\n{guard}print(os.urandom(8).hex('-'))\n",
        "floods.py": f"{guard}print('x' * 10_000_000)\n",
    }
    folder = tree({f"{side}/{name}": text for side in ("before", "after") for name, text in files.items()})
    programs = {program.file: program for program in verify(folder / "before", folder / "after").programs}
    assert "the original ends with exit status 1: ValueError: mine" in programs["fails.py"].reason
    assert "changes from run to run" in programs["changes.py"].reason
    assert programs["floods.py"].verdict == "agrees" and "prints more" in programs["floods.py"].notes[0]


STATUS = "import sys\n\nimport numpy as np\n\nprint(np.ones(2).sum())\nprint('2 rows left out', file=sys.stderr)\nsys.exit(3)\n"


@pytest.mark.parametrize(
    ("old", "new", "verdict", "words"),
    [
        ("", "", "not compared", "both versions end with exit status 3"),
        (
            "exit(3)",
            "exit(1)",
            "error in converted",
            "it ends with exit status 1: 2 rows left out, the original with exit status 3",
        ),
        ("ones", "zeros", "differs", "line 1 of its output"),
        ("'2 rows", "'1 rows", "differs", "it does not write '2 rows left out' on the standard error output"),
        ("sys.exit", "print('more', file=sys.stderr); sys.exit", "not compared", "both versions end with"),
    ],
)
def test_programs_that_end_with_a_status_of_their_own(tree, tmp_path, old, new, verdict, words):
    """They are no proof that both versions agree, but may show that they do not."""
    folder = tree({"before/main.py": STATUS, "after/main.py": "import jax\n" + STATUS.replace(old, new)})
    staged = stage(folder / "before", folder / "after", tmp_path / "staged")
    found, _evidence = program_comparison.run_program(staged, "main.py", 60.0, "float64")
    assert found.verdict == verdict and words in found.reason, found


def test_a_line_that_the_converted_version_does_not_write():
    same, warned = "a 1.0\nb 2.0\n", "m.py:3: RuntimeWarning: overflow\n  x * x\n"
    tolerance = PRINTED["float64"]
    assert lost_message(warned + same, "jax\na 1.0000000001\nmore\nb 2.0\n", tolerance, same) == ""
    assert lost_message(same, "b 2.0\na 1.0\n", tolerance, same) == "b 2.0"
    assert lost_message(same, "a 1.0\n", tolerance, "a 1.0\n") == ""  # the original writes something else each time


@pytest.mark.slow
def test_a_package_converted_into_a_folder_of_another_name(tree):
    pytest.importorskip("jax")
    from np2jax.runtime_shim.verification.verify import verify

    files = {"__init__.py": "from pkg.a import f\n", "a.py": "from . import b\ndef f(x): return b.g(x) + 1.0\n"}
    before = {f"pkg/{name}": text for name, text in files.items()} | {"pkg/b.py": "def g(x): return x * 2.0\n"}
    after = {f"out/{name}": text for name, text in files.items()} | {"out/b.py": "def g(x): return x * 3.0\n"}
    folder = tree(before | after)
    report = verify(folder / "pkg", folder / "out", examples=3)
    functions = {function.name: function for function in report.functions}
    assert functions["pkg.b.g"].verdict == "differs"
    assert functions["pkg.a.f"].verdict == "differs"  # it uses the other b, not the original's
    assert "jax_enable_x64" in report.notes[0]  # a package must turn it on itself
    one = verify(folder / "pkg" / "b.py", folder / "out" / "b.py", examples=3)
    assert [(function.name, function.verdict) for function in one.functions] == [("pkg.b.g", "differs")]


@pytest.mark.slow
def test_calls_made_by_tests_are_replayed(tree):
    pytest.importorskip("jax")
    from np2jax.runtime_shim.verification.verify import verify

    code = "def f(x, n):\n    if x.shape != (5,) or n != 'five': raise ValueError\n    return x + 1\n"
    test = "import numpy as np\nfrom code_ import f\ndef test_f():\n    assert f(np.zeros(5), 'five').sum() == 5\n"
    folder = tree({"before/code_.py": code, "before/test_code.py": test, "after/code_.py": code.replace("+ 1", "+ 2")})
    (function,) = verify(folder / "before", folder / "after", examples=3).functions
    assert function.verdict == "differs" and "x=[" in function.call


@pytest.mark.slow
def test_a_module_with_a_name_of_the_standard_library(tree):
    pytest.importorskip("jax")
    from np2jax.runtime_shim.verification.verify import verify

    code = "def double(x):\n    return x * 2.0\n"
    folder = tree({"before/types.py": code, "after/types.py": code.replace("2.0", "3.0")})
    (function,) = verify(folder / "before", folder / "after", examples=3).functions
    assert (function.name, function.verdict) == ("types.double", "differs")


@pytest.mark.slow
def test_a_script_without_a_guard(tree):
    pytest.importorskip("jax")
    from np2jax.runtime_shim.verification.verify import verify

    script = "import numpy as np\nfrom tools import use\nprint(use(np.arange(3.0)))\n"
    tools = "def use(x):\n    return x.sum()\n"
    before = {"before/tools.py": tools, "before/script.py": script}
    after = {"after/tools.py": tools.replace("sum()", "sum() + 1"), "after/script.py": script}
    folder = tree(before | after)
    report = verify(folder / "before", folder / "after", examples=3)
    assert (report.programs[0].file, report.programs[0].verdict) == ("script.py", "differs")
    (function,) = report.functions
    assert function.verdict == "differs" and function.call == "x=[0.] float64"


PRINTS = "import numpy as np\nprint(np.arange({n}).sum())\n"


@pytest.mark.slow
def test_programs_at_the_same_time(tree):
    pytest.importorskip("jax")
    from np2jax.runtime_shim.verification.verify import verify

    before = {f"before/{name}.py": PRINTS.format(n=n) for n, name in enumerate("abc", 5)}
    after = {f"after/{name}.py": PRINTS.format(n=6).replace("numpy", "jax.numpy") for name in "abc"}
    folder = tree(before | after)
    report = verify(folder / "before", folder / "after", jobs=2)
    assert [(p.file, p.verdict) for p in report.programs] == [("a.py", "differs"), ("b.py", "agrees"), ("c.py", "differs")]


def test_ctrl_c_ends_what_runs_at_the_same_time(monkeypatch):
    def interrupted(_staged, file, limit, _precision):
        if file == "second":
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # may come while its thread is still being started
        return program_comparison.run(program_runner.this_python("code", "import time; time.sleep(60)").plain(), None, limit)

    monkeypatch.setattr(program_comparison, "run_program", interrupted)
    start, often = time.monotonic(), sys.getswitchinterval()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs in its background without one
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(30):
            with pytest.raises(KeyboardInterrupt):
                program_comparison.run_programs(None, ["first", "second", "third"], 60.0, "float64", 2)
            assert not program_runner._running
    finally:
        sys.setswitchinterval(often)
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 30
