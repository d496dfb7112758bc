import importlib.util
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from np2jax.migrate.syntax.locations import positions
from np2jax.migrate.syntax.source import SourceError, parse
from np2jax.tests.helpers.deep_trees import deepest

EVERY_SYNTAX = (Path(__file__).parents[2] / "data" / "every_syntax.txt").read_bytes()


def expected(source):
    ranges = MetadataWrapper(source.module, unsafe_skip_copy=True).resolve(PositionProvider)
    return {n: (r.start.line, r.start.column, r.end.line, r.end.column) for n, r in ranges.items()}


@pytest.mark.parametrize(
    "data",
    [
        EVERY_SYNTAX,
        EVERY_SYNTAX + b"\n",
        EVERY_SYNTAX.replace(b"\n", b"\r\n"),
        "\ufeffx = 'é𝒳'; y = f(\n  x)\n\tz = 1\n".replace("\n\tz", "\nz").encode(),
        b"",
        b"\n\n# comment\nx = '''a\nb''' + (y\n)\n",
        b"\n\n@a\n# why\ndef f(x) :\n\tpass  # end\n\n\n",
    ],
)
def test_positions_are_those_of_libcst(data):
    source = parse("a.py", "a", False, data)
    reference = expected(source)
    nodes = list(source.parents)
    assert positions(source, nodes) == {node: reference[node] for node in nodes if node is not source.module} | {
        source.module: positions(source, [source.module])[source.module]
    }
    inside = [node for node in nodes if node is not source.module]
    assert positions(source, inside) == {node: reference[node] for node in inside}
    for node in inside[::7]:
        assert positions(source, [node]) == {node: reference[node]}


def test_any_few_nodes_give_the_same_answer():
    source = parse("a.py", "a", False, EVERY_SYNTAX)
    nodes = list(source.parents)
    everything = positions(source, nodes)
    for step in (3, 7, 50):
        some = nodes[::step]
        assert positions(source, some) == {node: everything[node] for node in some}
    for node in nodes[::11]:
        assert positions(source, {node}) == {node: everything[node]}


def test_the_whole_file():
    source = parse("a.py", "a", False, b"x = 1\ny = 2\n")
    assert positions(source, [source.module]) == {source.module: (1, 0, 3, 0)}
    source = parse("a.py", "a", False, b"x = 1\ny = 2")
    assert positions(source, [source.module]) == {source.module: (1, 0, 2, 5)}


def test_nothing_wanted_costs_nothing():
    assert positions(parse("a.py", "a", False, b"x = 1\n"), []) == {}


def test_deep_expressions():
    count = deepest()
    source = parse("a.py", "a", False, ("x = " + " + ".join(["a"] * count) + "\n").encode())
    names = [node for node in source.parents if isinstance(node, cst.Name)]
    last = 4 + 4 * (count - 1)
    assert positions(source, [names[-1]]) == {names[-1]: (1, last, 1, last + 1)}


@pytest.mark.slow
def test_installed_packages():
    for package in ("click", "numpy", "hypothesis"):
        for path in sorted(Path(importlib.util.find_spec(package).origin).parent.rglob("*.py"))[:25]:
            try:
                source = parse(str(path), "a", False, path.read_bytes())
            except SourceError:
                continue
            reference = expected(source)
            for node, position in positions(source, list(source.parents)).items():
                assert node is source.module or position == reference[node], (path, node)
