"""Rules as JSON: `np2jax explain` and `np2jax rules`."""

import json

from np2jax.rules.core.refusals import every_code


def test_a_rule_has_its_documentation_its_examples_and_the_page_of_jax(np2jax):
    status, out, err = np2jax("explain", "NJ801", "--output-format", "json")
    assert (status, err) == (0, "")
    (rule,) = json.loads(out)["rules"]
    assert (rule["code"], rule["name"], rule["safety"], rule["default"]) == ("NJ801", "traced-branch", "manual", True)
    assert "if x.sum() > 1:" in rule["before"]
    assert "jnp.where" in rule["after"]
    assert rule["link"].startswith("https://docs.jax.dev/")
    assert rule["documentation"].startswith(rule["summary"])


def test_a_family_and_all_rules(np2jax):
    family = json.loads(np2jax("explain", "NJ82", "--format", "json")[1])["rules"]
    assert [rule["code"] for rule in family if not rule["default"]] == ["NJ825"]
    every = json.loads(np2jax("rules", "--output-format", "json")[1])["rules"]
    assert [rule["code"] for rule in every] == list(every_code())
    assert all(rule["link"] for rule in every if rule["code"].startswith("NJ8"))


def test_the_source_is_shown_or_not(np2jax, tree):
    tree({"a.py": "import jax\n\nf = jax.jit(lambda x: x if x > 0 else -x)\n"})
    shown = np2jax("lint", "a.py", "--output-format", "concise", "--show-source")
    assert shown == np2jax("lint", "a.py")
    assert np2jax("lint", "a.py", "--no-show-source") == np2jax("lint", "a.py", "--output-format", "concise")
    status, out, err = np2jax("lint", "a.py", "--show-source", "--output-format", "json")
    assert (status, out) == (2, "")
    assert err == "np2jax: --show-source has the formats text and concise only, not json. See `np2jax lint --help`.\n"
