"""How often each code is found: for `--statistics`, as text or JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass

from .findings_report import FindingsReport

FORMATS = ("text", "json")  # of those that `--output-format` names


@dataclass(frozen=True, slots=True)
class Frequency:
    """The findings with one code: how many there are, and how many of them `--fix` changes."""

    count: int
    code: str
    name: str
    fixable: int


def frequencies(report: FindingsReport) -> list[Frequency]:
    """The codes that are found, the most frequent first."""
    from ....rules.core.refusals import every_code

    known = every_code()
    counts = Counter(item.code for item in report.diagnostics)
    fixable = Counter(item.code for item in report.diagnostics if item.safety == "safe" and not item.fixed)
    found = [Frequency(n, code, known[code].name if code in known else "", fixable[code]) for code, n in counts.items()]
    return sorted(found, key=lambda each: (-each.count, each.code))


def render(report: FindingsReport, form: str) -> str:
    found = frequencies(report)
    if form == "json":
        return json.dumps([asdict(each) for each in found], indent=1)
    digits = max((len(str(each.count)) for each in found), default=0)
    mark = {True: " [*]", False: "    " if any(each.fixable for each in found) else ""}
    return "\n".join(f"{each.count:>{digits}}  {each.code}{mark[each.fixable > 0]}  {each.name}" for each in found)
