"""Every code that np2jax may print can be explained."""

import ast
import re
from pathlib import Path

import pytest

from np2jax.rules.core.refusals import COMMENTS, REFUSALS, every_code
from np2jax.rules.core.registry import all_rules

ROOT = Path(__file__).parents[2]


def printed():
    """Every code in a string of the source that is no documentation: only these can be printed."""
    found = set()
    for path in (path for part in ("migrate", "rules", "runtime_shim") for path in (ROOT / part).rglob("*.py")):
        tree = ast.parse(path.read_text())
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        strings = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in said)
        found |= {code for string in strings for code in re.findall(r"\bNJ\d\d\d\b", string.value)}
    assert len(found) > 90
    return found


def test_every_code_that_can_be_printed_is_explained_and_in_the_documentation(np2jax):
    codes = printed()
    assert codes == set(every_code())
    assert codes == set(re.findall(r"^\| (NJ\d\d\d) \|", (ROOT / "docs/rules.md").read_text(), re.M))
    for code in sorted(codes):
        status, out, _ = np2jax("explain", code)
        assert status == 0, code
        assert out.startswith(f"# {code}: ")


def test_the_documentation_names_no_code_that_does_not_exist():
    texts = [path.read_text() for path in (*ROOT.glob("docs/*.md"), ROOT / "README.md")]
    assert {code for text in texts for code in re.findall(r"\bNJ\d\d\d\b", text)} <= set(every_code())


def test_refusals_and_rules_do_not_share_codes_or_names():
    rules = all_rules()
    assert not {refusal.code for refusal in (*REFUSALS, *COMMENTS)} & set(rules)
    names = [item.name for item in every_code().values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("refusal", (*REFUSALS, *COMMENTS), ids=lambda refusal: refusal.code)
def test_a_refusal_says_what_and_what_to_do(refusal):
    first, blank, *rest = refusal.doc.splitlines()
    assert first.endswith(".")
    assert blank == ""
    assert rest


def test_explain_knows_them(np2jax):
    status, out, _ = np2jax("explain", "NJ202")
    assert status == 0
    assert out.startswith("# NJ202: unknown-array\n\nSomething is updated in place")
    status, out, _ = np2jax("rules")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(every_code())
