"""JUnit's XML: a suite for each file, and for each function a test case for its verdict and for each rung that it reached.

A rung is a way in which both versions were compared: on recorded calls, on generated calls, and in each mode (jitted, eager, ...).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from ..formats import junit
from ..formats.junit import xml_text
from .document import DIFFERS, ERROR, NOT_COMPARED, NOT_RUN, Document
from .places import path_of

OUTCOMES = {DIFFERS: "failure", ERROR: "error", NOT_COMPARED: "skipped", NOT_RUN: "skipped"}


def render(document: Document) -> str:
    """The report as XML. A test fails where `verify` ends with status 1."""
    data = document.data
    root = ElementTree.Element("testsuites", {"name": "np2jax"})
    if data["programs"]:
        suite = ElementTree.SubElement(root, "testsuite", {"name": "programs"})
        for one in sorted(data["programs"], key=lambda one: str(one["file"])):
            _case(suite, path_of(data, one["file"]), 0, "programs", one["file"], one)
    if data["problems"]:  # such as a smaller share compared than required
        suite = ElementTree.SubElement(root, "testsuite", {"name": "extent"})
        for problem in data["problems"]:
            _case(suite, "", 0, "np2jax", "how much was compared", {"verdict": DIFFERS, "reason": problem})
    in_order = sorted(document.functions, key=lambda one: (one["file"], one["line"]))
    for file, functions in groupby(in_order, key=lambda one: str(one["file"])):
        path = path_of(data, file)
        suite = ElementTree.SubElement(root, "testsuite", {"name": xml_text(path)})
        for one in functions:
            classname = PurePath(path).with_suffix("").as_posix()
            _case(suite, path, one["line"], classname, f"{one['name']} [verdict]", one)
            for rung in rungs(one):
                _case(suite, path, one["line"], classname, f"{one['name']} [{rung}]", {})
    for suite in root:
        _count(suite, suite)
    _count(root, root.iter("testsuite"))
    return junit.document(root)


def rungs(function: Mapping[str, Any]) -> list[str]:
    """The ways in which both versions of a function were compared and agreed."""
    calls = [f"{kind} calls" for kind in ("recorded", "generated") if function.get(kind)]
    return [*calls, *function.get("modes", ())]


def _case(suite: ElementTree.Element, path: str, line: int, classname: str, name: str, verdict: Mapping[str, Any]) -> None:
    case = ElementTree.SubElement(suite, "testcase", {"name": xml_text(name), "classname": xml_text(classname)})
    if path:
        case.set("file", xml_text(path))
    if line:
        case.set("line", str(line))
    kind = OUTCOMES.get(verdict.get("verdict", ""))
    if kind is None:
        return
    reason = verdict["reason"] or verdict["verdict"]
    outcome = ElementTree.SubElement(case, kind, {"message": xml_text(reason)})
    if kind != "skipped":
        outcome.set("type", verdict["verdict"])
    told = [verdict.get("call") and f"on {verdict['call']}", verdict.get("needs")]
    outcome.text = xml_text("\n".join([f"{path}:{line}: {reason}" if line else reason, *filter(None, told)]))


def _count(element: ElementTree.Element, suites: Iterable[ElementTree.Element]) -> None:
    """Set the counts that readers expect."""
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        element.set(name, str(sum(case.find(kind) is not None for case in cases)))
