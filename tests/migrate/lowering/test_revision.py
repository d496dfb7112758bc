"""Files of which some statements are written anew: the others keep their nodes, and the whole is as if it had been parsed."""

from pathlib import Path

import libcst as cst
import pytest

from np2jax.migrate.lowering.revision import Versions
from np2jax.migrate.syntax.source import parse, walk

TEXT = '''\
# a comment
"""What it is."""

import numpy as np

# of f
@np.vectorize
def f(x):
    if x:
        return 1
    # at the end

    # and more


# of C


class C:
    def m(self): return 2  # on the line


x = f(1); y = 2
# the end
'''
NEW = "\n\n# of f\n@np.vectorize\ndef f(x):\n    return g()\n    # at the end\n\n\ndef g():\n\treturn (1,\n  2)\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["\n", ""])
def test_as_if_it_were_parsed(newline, end):
    source = parse("m.py", "m", False, (TEXT[:-1] + end).replace("\n", newline).encode())
    versions = Versions()
    old = [*source.module.body]
    f = next(node for node in old if isinstance(node, cst.FunctionDef))
    made = versions.revised(source, {f: NEW.replace("\n", newline)})
    again = parse("m.py", "m", False, made.text.encode())
    assert made.module.code == made.text == again.module.code
    alike = made.module.deep_equals(again.module)
    assert alike
    assert [node for node in made.module.body if node in old] == [node for node in old if node is not f]
    assert [type(node) for node in made.parents] == [type(node) for node in again.parents]
    assert versions.parses == {"f": 1, "g": 1}


def test_a_text_that_comes_back_has_its_nodes():
    source = parse("m.py", "m", False, TEXT.encode())
    versions = Versions()
    f = next(node for node in source.module.body if isinstance(node, cst.FunctionDef))
    first, second = (versions.revised(source, {f: NEW}).module.body for _ in range(2))
    assert [*first] == [*second]
    assert [*versions.revised(source, {f: versions.text(source, f)}).module.body] == [*source.module.body]
    assert versions.parses["f"] == 1


def test_the_lines_of_the_file_before():
    source = parse("m.py", "m", False, TEXT.encode())
    versions = Versions()
    f = next(node for node in source.module.body if isinstance(node, cst.FunctionDef))
    text = versions.text(source, f)
    made = versions.revised(source, {f: text.replace("return 1\n", "y = 1\n        return y\n")})
    lines = versions.lines(source, made)
    before, after = TEXT.splitlines(), made.text.splitlines()
    assert len(lines) == len(after)
    assert [k for k, line in enumerate(lines) if before[line - 1] != after[k]] == [9, 10]
    assert versions.starts(source)[f] == 5


def test_statements_of_the_examples():
    for path in sorted((Path(__file__).parents[3] / "examples").rglob("*.py")):
        source = parse(str(path), "m", False, path.read_bytes())
        versions = Versions()
        doubled = {node: versions.text(source, node) * 2 for node in source.module.body}
        made = versions.revised(source, doubled)
        alike = made.module.deep_equals(parse(str(path), "m", False, made.text.encode()).module)
        assert alike, path


CLASS = """\
class C:
    a = 1

    # of f
    def f(self):
        return 1

# not of g
    def g(self):
        return 2

    def h(self):
        return 2
"""


def methods(source):
    return {node.name.value: node for node in source.parents if isinstance(node, cst.FunctionDef)}


def test_methods_whose_text_is_the_same_keep_their_nodes():
    source = parse("m.py", "m", False, CLASS.encode())
    versions = Versions()
    (whole,) = source.module.body
    first = versions.revised(source, {whole: CLASS.replace("return 1", "return 3") + "\n\ndef k():\n    pass\n"})
    again = parse("m.py", "m", False, first.text.encode())
    assert first.module.code == first.text == again.module.code
    alike = first.module.deep_equals(again.module)
    assert alike
    before, after = methods(source), methods(first)
    assert [name for name in before if before[name] is after[name]] == ["g", "h"]
    second = versions.revised(first, {first.module.body[0]: CLASS.replace("a = 1", "a = 2")})  # as `f` was at first
    assert [methods(second)[name] for name in before] == [*before.values()]


def test_a_version_has_no_node_twice():
    source = parse("m.py", "m", False, CLASS.encode())
    versions = Versions()
    (whole,) = source.module.body
    text = CLASS + CLASS.replace("class C", "class D").replace("def h", "def g")
    for _ in range(2):  # again of the first of these classes alone
        source = versions.revised(source, {whole: text})
        parents = [node for statement in source.module.body for node, _parent in walk(statement)]
        assert len(set(parents)) == len(parents)
        assert source.module.code == source.text
        whole, text = source.module.body[0], f"{CLASS}x = 1\n{CLASS}"


def test_a_comment_in_the_first_column_is_no_other_text():
    source = parse("m.py", "m", False, CLASS.encode())
    (whole,) = source.module.body
    text = CLASS.replace("# not of g", "    # not of g")
    made = Versions().revised(source, {whole: text})
    assert made.module.code == made.text == text
