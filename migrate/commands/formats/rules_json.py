"""Rules as JSON, for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from ....rules.core.lint_rules import LintRule
from ....rules.core.refusals import Documented

BLOCK = re.compile(r"```python\n(.*?)```", re.S)
LINK = re.compile(r"^See (https://\S+)$", re.M)


def listed(rules: Iterable[Documented]) -> str:
    return json.dumps({"rules": [described(rule) for rule in rules]}, indent=1)


def described(rule: Documented) -> dict[str, object]:
    """`before` and `after`: the examples, None where there are none."""
    text = rule.doc.strip()
    before, after = [*BLOCK.findall(text), None, None][:2]
    link = LINK.search(text)
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": text.splitlines()[0],
        "safety": rule.safety.value,
        "default": rule.default if isinstance(rule, LintRule) else True,
        "documentation": text,
        "before": before,
        "after": after,
        "link": link[1] if link else None,
    }
