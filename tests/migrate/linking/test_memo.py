"""What is known from earlier links is used only while nothing that it follows from has changed."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from np2jax.migrate.linking import linker
from np2jax.migrate.linking.memo import Memo
from np2jax.migrate.project import pass_manager as passes
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import pass_manager
from np2jax.migrate.project.workers import started

CLASS = """
import numpy as np


class Body:
    def __init__(self, x):
        self.x = np.array(x)

    def place(self):
        return self.x
"""
# Two versions of the files a.py and b.py: what follows from b.py for the functions and classes of a.py differs.
CHANGES = {
    "an argument of a call": (
        ("def f(x):\n    return x\n", "a.f(np.zeros(3))\n"),
        ("def f(x):\n    return x\n", "a.f([1, 2])\n"),
    ),
    "a further call": (
        ("def f(x):\n    return x\n", "a.f(np.zeros(3))\n"),
        ("def f(x):\n    return x\n", "a.f(np.zeros(3))\na.f(np.zeros(3, int))\n"),
    ),
    "a call is gone": (("def f(x):\n    return x\n", "a.f(np.zeros(3))\n"), ("def f(x):\n    return x\n", "")),
    "a function escapes": (
        ("def f(x):\n    return x\n", "a.f(np.zeros(3))\n"),
        ("def f(x):\n    return x\n", "a.f(np.zeros(3))\nprint(a.f)\n"),
    ),
    "an attribute that another module binds": ((CLASS, "a.Body(1).x = np.ones(2)\n"), (CLASS, "a.Body(1).x = [1]\n")),
    "an attribute that code binds to an unknown object": (
        (CLASS, "def g(o):\n    o.y = 1\n"),
        (CLASS, "def g(o):\n    o.x = 'text'\n"),
    ),
    "a subclass that binds an attribute": (
        (CLASS, "class B(a.Body):\n    pass\n"),
        (CLASS, "class B(a.Body):\n    def move(self):\n        self.x = None\n"),
    ),
    "a subclass that overrides a method": (
        (CLASS, "class B(a.Body):\n    pass\n"),
        (CLASS, "class B(a.Body):\n    def place(self):\n        return 1\n"),
    ),
    "a class gets a base": ((CLASS, "class B:\n    pass\n"), (CLASS, "class B(a.Body):\n    pass\n")),
    "an attribute whose array somebody gets": (
        (CLASS, "def g(o):\n    return o.other()\n"),
        (CLASS, "def g(o):\n    return o.place()\n"),
    ),
    "what a method of this name reads": (
        ("def f(o):\n    return o.get()\n", "class B:\n    def get(self):\n        return self.x\n"),
        ("def f(o):\n    return o.get()\n", "class B:\n    def get(self):\n        return self.y\n"),
    ),
    "the only method of this name is gone": (
        ("def f(o):\n    return o.get()\n", "class B:\n    def get(self):\n        return self.x\n"),
        ("def f(o):\n    return o.get()\n", "class B:\n    def put(self):\n        return self.x\n"),
    ),
    "a seed for the callers": (
        ("import numpy as np\n\n\ndef _f():\n    np.random.seed(1)\n", "def g():\n    a._f()\n    return np.random.rand(3)\n"),
        ("import numpy as np\n\n\ndef _f():\n    np.random.seed(1)\n", "def g():\n    a._f()\n    return 1\n"),
    ),
}


def shown(facts):
    """The facts in a form that compares by value."""
    found = {
        f"{part.name}.{each.name}": getattr(getattr(facts, part.name), each.name)
        for part in fields(facts)
        if part.name in ("hierarchy", "host", "program", "random")
        for each in fields(getattr(facts, part.name))
    }
    found |= {name: getattr(facts, name) for name in ("functions", "params", "classes", "variables", "outside", "several")}
    found["host.reads"] = dict(facts.host.reads)
    return found


def resolved(first, second):
    """The pass manager of a project of two files, once all units are interpreted."""
    texts = {"a": first, "b": f"import numpy as np\n\nimport a\n\n{second}"}
    files = [ProjectFile(Path(f"{name}.py"), name, text.encode()) for name, text in texts.items()]
    with started(files, 1) as shards:
        manager = pass_manager(files, Options(), shards)
        manager.run("resolve")
    return manager


def linked(manager, memos):
    return shown(linker.link(manager.summaries.values(), manager.settings, None, manager.assumed, memos))


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_reaches_the_facts_about_unchanged_code(change):
    before, after = (resolved(*version) for version in CHANGES[change])
    memos = linker.LinkMemos()
    old = linked(before, memos)
    assert linked(after, memos) == linked(after, None) != old
    assert linked(before, memos) == old  # and back


def test_all_links_of_a_conversion_are_as_without_memos(monkeypatch):
    """Also while transformations change the text, and take changes back."""
    linking, links = passes.link, []

    def checked(modules, settings, before, assumed, memos):
        modules = list(modules)
        made = linking(modules, settings, before, assumed, memos)
        assert shown(made) == shown(linking(modules, settings, before, assumed, None))
        links.append(made)
        return made

    monkeypatch.setattr(passes, "link", checked)
    root = Path(__file__).parents[3] / "benchmarks" / "untuned"
    files = [
        ProjectFile(root / f"{name}.py", f"untuned.{name}", (root / f"{name}.py").read_bytes())
        for name in ("classes", "draws", "loops")
    ]
    with started(files, 1) as shards:
        pass_manager(files, Options(), shards).run_all()
    assert len(links) > 5


def test_a_memo_computes_again_where_an_input_differs():
    calls = []

    def joined(*parts):
        calls.append(parts)
        return [*parts]

    memo = Memo(joined)
    first = memo("x", 1, "a")
    assert memo("x", 1, "a") is first
    assert memo("y", 1, "a") is not first
    assert memo("x", 1, "b") == [1, "b"]
    assert memo("x", 1, "a") == first  # only the last result of a key is kept
    assert len(calls) == 4
