"""Every code that np2jax may print can be explained."""

import re
from pathlib import Path

import pytest

from np2jax.rules.core.refusals import REFUSALS, every_code
from np2jax.rules.core.registry import all_rules

ROOT = Path(__file__).parents[2]


def test_every_code_in_the_source_is_documented():
    sources = [path.read_text() for part in ("migrate", "rules") for path in (ROOT / part).rglob("*.py")]
    used = {code for source in sources for code in re.findall(r'"(NJ\d\d\d)"', source)}
    assert used <= set(every_code())


def test_refusals_and_rules_do_not_share_codes_or_names():
    rules = all_rules()
    assert not {refusal.code for refusal in REFUSALS} & set(rules)
    names = [item.name for item in every_code().values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.code)
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
