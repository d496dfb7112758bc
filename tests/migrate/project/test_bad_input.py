"""Input that is wrong in every way that users have: one clear line that names the file, nothing lost, nothing half done."""

import os
import re
import subprocess
import sys
import time

import pytest

GOOD = b"import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x) + np.cos(x)\n"


def refused(result, *parts):
    """Exit status 2 and exactly one line, without a traceback, that holds the parts."""
    status, _, err = result
    assert status == 2, err
    assert err.count("\n") == 1, err
    assert err.startswith("np2jax: ")
    for part in parts:
        assert part in err


@pytest.mark.parametrize("command", ["convert", "lint"])
def test_no_such_path(np2jax, command):
    refused(np2jax(command, "nothing/here.py"), "nothing/here.py: no such file or folder")


@pytest.mark.parametrize("command", ["convert", "lint"])
def test_a_folder_without_python(np2jax, tree, command):
    tree({"docs/readme.txt": "hello"})
    refused(np2jax(command, "docs"), "docs: no Python files")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "not a notebook, as it is not JSON"),
        ("[1]", "not a notebook, though it is JSON"),
        (b"\xff", "not a notebook, as it is not UTF-8"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}', "not a notebook"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "R"}}, "cells": []}', "a notebook of r"),
    ],
)
def test_a_broken_notebook(np2jax, tree, data, message):
    tree({"n.ipynb": data})
    refused(np2jax("lint", "n.ipynb"), f"n.ipynb: {message}")


UNREADABLE = {
    "does not parse": (b"import numpy as np\ndef f(:\n    pass\n", "bad.py:2: "),
    "Python 2": (b'import numpy as np\n\nprint "a"\n', "bad.py:3: Python 2"),
    "Python 2, except": (
        b"import numpy as np\ntry:\n    x = 1\nexcept ValueError, e:\n    pass\n",
        "bad.py:4: Python 2 code, or Python 3.14",
    ),
    "Python 2, backticks": (b"import numpy as np\nx = `np.pi`\n", "bad.py:2: Python 2"),
    "Python 2, print": (b"import numpy as np\nx = np.pi\nprint x\n", "bad.py:3: Python 2"),
    "Python 2, long": (b"import numpy as np\nx = 10L\n", "bad.py:2: Python 2"),
    "Python 2, tuple parameter": (b"import numpy as np\ndef f((a, b), c):\n    pass\n", "bad.py:2: Python 2"),
    "null byte": (b"import numpy as np\nx = 1\n\0\n", "bad.py:3: "),
    "not UTF-8": (b'import numpy as np\n\n\nx = "\xe9"\n', "bad.py:4: "),
    "UTF-16": ("import numpy as np\n".encode("utf-16"), "bad.py:1: "),
    "unknown encoding": (b"# coding: klingon\nimport numpy as np\n", "bad.py:1: "),
    "without NumPy, does not parse": (b"x = 1\ndef f(:\n", "bad.py:2: "),
    "without NumPy, not UTF-8": (b'x = "\xe9"\n', "bad.py:1: "),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_is_skipped_and_the_others_converted(np2jax, tree, name):
    data, message = UNREADABLE[name]
    root = tree({"pkg/bad.py": data, "pkg/good.py": GOOD})
    refused(np2jax("convert", "pkg", "-o", "out"), f"pkg/{message}", "skipped")
    assert (root / "out/bad.py").read_bytes() == data
    assert b"jnp.sqrt" in (root / "out/good.py").read_bytes()


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_does_not_hide_the_findings_of_others(np2jax, tree, name):
    data, message = UNREADABLE[name]
    tree({"pkg/bad.py": data, "pkg/good.py": GOOD})
    first = np2jax("lint", "pkg")
    refused(first, f"pkg/{message}")
    assert "pkg/good.py:5:" in first[1]
    assert np2jax("lint", "pkg") == first


def test_only_an_unreadable_file(np2jax, tree):
    root = tree({"bad.py": b"def f(:\n"})
    refused(np2jax("convert", "bad.py", "--allow-dirty"), "bad.py:1: ")
    assert (root / "bad.py").read_bytes() == b"def f(:\n"


UNTOUCHED = {
    "CRLF": (GOOD.replace(b"\n", b"\r\n"), b"    return jnp.sqrt(x) + jnp.cos(x)\r\n"),
    "tabs": (GOOD.replace(b"    ", b"\t"), b"\treturn jnp.sqrt(x) + jnp.cos(x)\n"),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD, b"    return jnp.sqrt(x) + jnp.cos(x)\n"),
    "latin-1": (b"# coding: latin-1\nname = '\xe9'\n" + GOOD, b"    return jnp.sqrt(x) + jnp.cos(x)\n"),
    "no newline at the end": (GOOD.rstrip(b"\n"), b"    return jnp.sqrt(x) + jnp.cos(x)"),
    "odd spacing": (GOOD + b"x   =  [ 1,2 ,\n   3]   # why \n\n\n\n", b"    return jnp.sqrt(x) + jnp.cos(x)\n"),
}


@pytest.mark.parametrize("name", UNTOUCHED)
def test_bytes_that_are_not_converted_are_kept(np2jax, tree, name):
    data, converted = UNTOUCHED[name]
    root = tree({"a.py": data})
    assert np2jax("convert", "a.py", "--allow-dirty")[0] == 0
    after = (root / "a.py").read_bytes()
    assert converted in after
    kept = [line for line in data.splitlines(keepends=True) if b"np" not in line and b"def" not in line]
    assert all(line in after for line in kept)
    assert after.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    assert after.count(b"\r\n") == (after.count(b"\n") if b"\r" in data else 0)


def test_a_read_only_file(np2jax, tree):
    root = tree({"pkg/a.py": GOOD, "pkg/b.py": GOOD})
    (root / "pkg/b.py").chmod(0o444)
    refused(np2jax("convert", "pkg", "--allow-dirty"), "pkg/b.py: is read-only")
    assert (root / "pkg/a.py").read_bytes() == GOOD


def test_a_read_only_file_is_no_obstacle_to_a_copy(np2jax, tree):
    root = tree({"pkg/a.py": GOOD})
    (root / "pkg/a.py").chmod(0o444)
    assert np2jax("convert", "pkg", "-o", "out")[0] == 0
    assert np2jax("convert", "pkg", "-o", "out")[0] == 0
    assert b"jnp.sqrt" in (root / "out/a.py").read_bytes()


def test_a_loop_of_links(np2jax, tree):
    root = tree({"pkg/a.py": GOOD})
    os.symlink(".", root / "pkg/again")
    os.symlink("knot.py", root / "pkg/knot.py")
    status, out, err = np2jax("convert", "pkg", "-o", "out")
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "1 of 1 files converted into out"


@pytest.mark.parametrize(("option", "near"), [("--select", "NJ999"), ("--ignore", "nj201")])
def test_an_unknown_rule_code(np2jax, tree, option, near):
    tree({"a.py": GOOD})
    refused(np2jax("lint", "a.py", option, near), f"{option[2:]}: unknown rule code `{near}`")
    refused(np2jax("explain", near), f"explain: unknown rule code `{near}`")


def test_an_unknown_rule_code_in_the_configuration(np2jax, tree):
    tree({"a.py": GOOD, "pyproject.toml": "[tool.np2jax]\nignore = ['NJ999']\n"})
    refused(np2jax("lint", "a.py"), "unknown rule code `NJ999`")
    refused(np2jax("lint", "a.py"), "unknown rule code `NJ999`")


def test_an_unknown_configuration_key(np2jax, tree):
    tree({"a.py": GOOD, "pyproject.toml": "[tool.np2jax]\nprecison = 'float32'\n"})
    refused(np2jax("lint", "a.py"), "pyproject.toml: unknown key `precison`", "did you mean `precision`?")


@pytest.mark.parametrize(
    ("module", "command"), [("jax", "verify"), ("numpy", "verify"), ("numpy", "record"), ("jax", "convert --verify")]
)
def test_a_missing_library_of_the_shim(tree, module, command):
    root = tree({"a.py": GOOD, "b.py": GOOD})
    arguments = {"verify": ["verify", "a.py", "b.py"], "record": ["record", "--", "python", "a.py"]}
    words = arguments.get(command, ["convert", "a.py", "-o", "out", "--verify"])
    program = f"""
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == {module!r} else find(name, *rest)
sys.modules[{module!r}] = None
from np2jax.migrate.commands.cli import main
main({words!r})
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=60)
    refused((done.returncode, done.stdout, done.stderr), module, "pip install 'np2jax[verify]'")
    assert not (root / "out").exists()


@pytest.mark.slow
def test_a_file_of_50_000_lines(np2jax, tree):
    function = "def f{n}(x):\n    # a comment\n    y = np.sqrt(x) + np.cos(x)\n    return y + {n}\n\n\n"
    text = "import numpy as np\n\n\n" + "".join(function.format(n=n) for n in range(50_000 // 6))
    root = tree({"large.py": text})
    status, _, err = np2jax("convert", "large.py", "-o", "out")
    assert (status, err) == (0, "")
    assert (root / "out/large.py").read_text().count("jnp.sqrt(x) + jnp.cos(x)") == 50_000 // 6


@pytest.mark.slow
def test_a_module_of_20_000_names(np2jax, tree):
    text = "import numpy as np\n\n" + "".join(f"a{n} = np.sin({n}.0)\n" for n in range(20_000))
    root = tree({"names.py": text})
    start = time.process_time()
    assert np2jax("convert", "names.py", "-o", "out")[0] == 0
    assert time.process_time() - start < 40  # quadratic, it takes minutes
    assert (root / "out/names.py").read_text().count("np.sin(") == 20_000


def test_code_of_jax_that_this_python_cannot_read(np2jax, tree):
    """LibCST reads the syntax of newer versions, and deeper nesting; the rules for JAX code take Python's own parser."""
    tree({"a.py": f"import jax\nx = {'(' * 250}1{')' * 250}\n", "b.py": f"x = {'(' * 250}1{')' * 250}\n"})
    status, out, err = np2jax("lint", "a.py", "-q")
    assert (status, out) == (2, "")
    assert re.fullmatch(r"np2jax: a\.py:2: Python 3\.\d+, which runs np2jax, cannot read it: too many nested .*; skipped\n", err)
    assert np2jax("lint", "b.py", "-q") == (0, "", "")
