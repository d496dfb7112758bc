"""`import np2jax` and `np2jax --help` are quick and load nothing heavy; a second lint costs a cache look-up."""

import os
import subprocess
import sys

import pytest

HEAVY = ("libcst", "rich", "jax", "numpy", "hypothesis")


def loaded(program, *, cwd=None):
    """Which heavy libraries a program has imported when it ends."""
    watch = f"import sys, atexit\natexit.register(lambda: print('LOADED', *[name for name in {HEAVY} if name in sys.modules]))\n"
    done = subprocess.run([sys.executable, "-c", watch + program], cwd=cwd, capture_output=True, text=True, timeout=120)
    assert "LOADED" in done.stdout, done.stderr
    return done.stdout.rpartition("LOADED")[2].split()


def command(*words):
    return f"from np2jax.migrate.commands.cli import main\nmain({list(words)!r})"


def test_import_loads_nothing_heavy():
    assert loaded("import np2jax; dir(np2jax)") == []


@pytest.mark.parametrize("words", [["--help"], ["convert", "--help"], ["--version"], ["lint", "nowhere"]])
def test_the_command_line_loads_nothing_heavy(words):
    assert loaded(command(*words)) == []


def test_lint_and_convert_load_neither_jax_nor_numpy(tree, monkeypatch):
    root = tree({"a.py": "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n"})
    monkeypatch.setenv("NP2JAX_CACHE_DIR", str(root / "cache"))
    assert loaded(command("lint", "a.py"), cwd=root) == ["libcst"]
    assert loaded(command("lint", "a.py"), cwd=root) == []
    assert loaded(command("convert", "a.py", "-o", "out"), cwd=root) == ["libcst"]


def test_public_names():
    import np2jax

    assert np2jax.__all__ == ["assert_equivalent", "convert", "lint", "record", "verify"]
    assert set(np2jax.__all__) <= set(dir(np2jax))
    assert all(callable(getattr(np2jax, name)) for name in np2jax.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        np2jax.nothing  # noqa: B018


def test_python_dash_m():
    done = subprocess.run([sys.executable, "-m", "np2jax", "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout[:7]) == (0, "np2jax ")


def seconds(*program, repeat=7):
    """The least processor time of several runs: what the machine is busy with otherwise only adds to it."""

    def once():
        before = os.times()
        subprocess.run([sys.executable, *program], check=False, stdout=subprocess.DEVNULL, timeout=600)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return min(once() for _ in range(repeat))


@pytest.mark.slow
def test_help_takes_less_than_three_imports_of_click():
    assert seconds("-m", "np2jax", "--help") < 3 * seconds("-c", "import click")


@pytest.mark.slow
def test_a_second_lint_takes_a_tenth(tree, monkeypatch):
    body = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n" * 10
    root = tree({f"pkg/mod{n}.py": body for n in range(300)})
    monkeypatch.setenv("NP2JAX_CACHE_DIR", str(root / "cache"))
    lint = f"import os\nos.chdir({str(root)!r})\n{command('lint', 'pkg')}"
    first, second = seconds("-c", lint, repeat=1), seconds("-c", lint, repeat=3)
    assert second < 0.1 * first
    cached, anew = (
        subprocess.run([sys.executable, "-m", "np2jax", "lint", "pkg", *options], cwd=root, capture_output=True, timeout=600)
        for options in ((), ("--no-cache",))
    )
    assert (cached.returncode, cached.stdout) == (anew.returncode, anew.stdout)
    assert cached.returncode == 1
