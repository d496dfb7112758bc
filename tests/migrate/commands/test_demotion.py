"""`convert --verify` with a comparison that says what we want: what differs loses jit first, then is kept."""

import pytest

from np2jax.migrate.commands.convert import write
from np2jax.migrate.commands.demotion import Verdict, demote, labelled, to_blame
from np2jax.migrate.project.discovery import discover
from np2jax.migrate.project.driver import CommandLine
from np2jax.migrate.project.outcome import Conversion, FunctionOutcome, Options

SOURCE = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n\n\ndef g(x):\n    return np.sqrt(x)\n"


def fates(conversion):
    return {item.name: (item.label, item.transform, item.reason) for item in conversion.functions}


@pytest.fixture
def run(engine, tree):
    """Converts a file under a comparison that is given the fates of the functions; returns what was done."""
    root = tree({"pkg/a.py": SOURCE, "pkg/data.txt": "1\n"})
    seen = []

    def start(differ):
        def compare(original, converted, conversion, precision):
            assert original == root / "pkg"
            assert (original / "a.py").read_text() == SOURCE
            assert converted.name == "pkg"
            assert (converted / "data.txt").read_text() == "1\n"
            assert "jnp.sqrt" in (converted / "a.py").read_text()
            assert precision == "float64"
            seen.append(fates(conversion))
            different = differ(fates(conversion))
            agree = frozenset(name for name in fates(conversion) if name not in different)
            return Verdict(agree, different, report={"round": len(seen)})

        return write([root / "pkg"], CommandLine(), None, allow_dirty=True, compare=compare), seen

    return start


def test_what_agrees_is_checked(run):
    done, seen = run(lambda functions: {})
    assert len(seen) == 1
    assert fates(done.conversion) == {"a.f": ("checked", "jit", ""), "a.g": ("checked", "jit", "")}
    assert (done.differences, done.report) == ((), {"round": 1})


def test_what_differs_only_when_jitted_is_not_jitted(run):
    done, seen = run(lambda functions: {"a.f": "values differ"} if functions["a.f"][1] == "jit" else {})
    assert len(seen) == 2
    assert fates(done.conversion) == {"a.f": ("checked", "eager", ""), "a.g": ("checked", "jit", "")}


def test_what_differs_in_any_case_is_kept(run):
    done, seen = run(lambda functions: {"a.f": "values differ"} if functions["a.f"][0] != "kept" else {})
    assert len(seen) == 3
    assert fates(done.conversion) == {"a.f": ("kept", "", "differs when run: values differ"), "a.g": ("checked", "jit", "")}
    assert done.differences == ()


def test_what_differs_even_when_kept_is_named(run):
    done, _ = run(lambda functions: {"a.f": "it draws random numbers"})
    assert done.differences == ("a.f",)


def test_nothing_is_written_when_the_comparison_fails(engine, tree):
    root = tree({"a.py": SOURCE})

    def compare(original, converted, conversion, precision):
        raise RuntimeError("no device")

    with pytest.raises(RuntimeError):
        write([root / "a.py"], CommandLine(), None, allow_dirty=True, compare=compare)
    assert (root / "a.py").read_text() == SOURCE


def outcome(name, label, transform):
    return FunctionOutcome("a.py", 1, name, label, transform, (), "")


def test_demotion_goes_one_step_at_a_time():
    conversion = Conversion((), (outcome("f", "proved", "jit"), outcome("g", "proved", "eager"), outcome("h", "kept", "")))
    options = demote(Options(), conversion, {"f": "1", "g": "2", "h": "3", "elsewhere": "4"})
    assert options == Options(unjitted=frozenset({"f"}), kept=(("g", "differs when run: 2"),))
    assert demote(options, conversion, {"f": "5"}) == options._replace(
        kept=(("f", "differs when run: 5"), ("g", "differs when run: 2"))
    )
    assert demote(options, conversion, {}) == options


def test_kept_functions_stay_kept_when_they_agree():
    conversion = Conversion((), (outcome("f", "kept", ""), outcome("g", "assumed", "eager")))
    assert [item.label for item in labelled(conversion, Verdict(frozenset({"f", "g"}))).functions] == ["kept", "checked"]


def test_what_differs_in_the_end_is_refuted():
    conversion = Conversion((), (outcome("f", "proved", "jit"), outcome("g", "assumed", "jit"), outcome("h", "kept", "")))
    done = labelled(conversion, Verdict(frozenset({"g"}), {"f": "values differ", "h": "values differ"})).functions
    assert [item.label for item in done] == ["refuted", "checked", "kept"]
    assert done[0].reason == "the conversion said proved; the run refutes it"


def test_callers_are_not_blamed_for_what_they_call(tree):
    source = """
class Gas:
    def __init__(self): self.step()
    def step(self): helper(self.x)

def helper(x): return x
def run(): Gas()
def ping(): pong()
def pong(): ping()
"""
    project = discover([tree({"a.py": source})])

    def blamed(*names):
        return list(to_blame(dict.fromkeys(names, "why"), project))

    assert blamed("a.helper", "a.Gas.step", "a.run") == ["a.helper", "a.run"]
    assert blamed("a.Gas.__init__", "a.run") == ["a.Gas.__init__"]
    assert blamed("a.Gas.step", "a.Gas.__init__") == ["a.Gas.step"]
    assert blamed("a.run", "elsewhere.f") == ["a.run", "elsewhere.f"]
    assert blamed("a.ping", "a.pong") == ["a.ping", "a.pong"]
