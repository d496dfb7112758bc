"""SARIF 2.1.0: a result for each function and program that differs or fails, for code hosts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ....version import __version__
from ..formats.sarif import SARIF_SCHEMA, uri
from .document import BAD, DIFFERS, ERROR, NOT_COMPARED, Document
from .places import path_of
from .text import visible

RULES = {
    DIFFERS: ("verify-differs", "error", "The converted version does something else than the original."),
    ERROR: ("verify-error", "error", "The converted version fails where the original does not."),
    NOT_COMPARED: ("verify-not-compared", "note", "Both versions could not be compared."),
}


def render(document: Document) -> str:
    """The log. What was not compared is a note; what is wrong with the verification as a whole is a notification."""
    data = document.data
    rules = [
        {"id": code, "name": code, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for code, level, text in RULES.values()
    ]
    results = [_result(data, one, 1) for one in data["programs"] if one["verdict"] in BAD]
    results += [_result(data, one, one["line"]) for one in document.functions if one["verdict"] in RULES]
    problems = [{"level": "error", "message": {"text": visible(problem)}} for problem in data["problems"]]
    run = {
        "tool": {"driver": {"name": "np2jax", "version": __version__, "rules": rules}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": problems}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _result(data: Mapping[str, Any], one: Mapping[str, Any], line: int) -> dict[str, Any]:
    code, level, _text = RULES[one["verdict"]]
    name = one.get("name", one["file"])
    parts = [f"{name}: {one['verdict']}: {one['reason']}", one.get("call") and f"on {one['call']}", one.get("needs")]
    location = {"artifactLocation": {"uri": uri(path_of(data, one["file"]))}, "region": {"startLine": line}}
    return {
        "ruleId": code,
        "ruleIndex": [*RULES].index(one["verdict"]),
        "level": level,
        "message": {"text": visible("; ".join(filter(None, parts)))},
        "locations": [{"physicalLocation": location, "logicalLocations": [{"fullyQualifiedName": visible(name)}]}],
        "partialFingerprints": {"np2jax/v1": f"{code}:{visible(name)}"},
    }
