"""Questions about syntax alone."""

import ast
from pathlib import Path

import pytest

from np2jax.migrate.tracing.queries import binds, names_of_values, walk


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parent.parent.parent.glob("programs/*.py"))[:12], ids=lambda path: path.name
)
def test_walk_yields_all_code(path):
    tree = ast.parse(path.read_text())
    code = [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]
    found = list(walk(tree))
    assert len(found) == len(code)
    assert {*map(id, found)} == {*map(id, code)}


def test_walk_goes_into_every_kind_of_statement():
    text = "match x:\n    case {'a': [1, *_]} if f(y): pass\nwith a as b, c: del d\ntry: e\nexcept* F as g: h\n@i\nclass J(k, l=m): n: o = p\n"
    assert {node.id for node in walk(ast.parse(text)) if isinstance(node, ast.Name)} == set("xyfabcdeFhiklmnop") - {"l"} | {"k"}


def test_places_in_which_a_class_binds_an_attribute():
    (node,) = ast.parse("class C:\n    def f(self):\n        self.a = self.b\n        del self.c\n        self.a += 1\n").body
    assert [binds(node, name) for name in "abcd"] == [2, 0, 1, 0]


def test_names_that_an_expression_reads_from_outside():
    (statement,) = ast.parse("[i + a.shape[0] + len(b) for i in c if d]").body
    assert names_of_values(statement.value) == {"c", "d"}
