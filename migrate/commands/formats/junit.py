"""JUnit's XML: a suite for each file, and a failed test for each finding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import PurePath
from xml.etree import ElementTree

from ....rules.core.diagnostic import Diagnostic
from .findings_report import FindingsReport, in_file, one_line

NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: FindingsReport) -> str:
    suites = ElementTree.Element("testsuites", _counts("np2jax", len(report.diagnostics), len(report.errors)))
    for path, items in groupby(report.diagnostics, key=lambda item: item.path):
        _suite(suites, path, list(items))
    for path, reason in report.errors:
        suite = ElementTree.SubElement(suites, "testsuite", _counts(path, 0, 1))
        case = ElementTree.SubElement(suite, "testcase", _named("unreadable-file", path))
        ElementTree.SubElement(case, "error", {"message": xml_text(one_line(reason)), "type": "unreadable-file"})
    if not len(suites):  # some readers take a report without a test for a run that failed
        suites.set("tests", "1")
        suite = ElementTree.SubElement(suites, "testsuite", {**_counts("np2jax", 0, 0), "tests": "1"})
        ElementTree.SubElement(suite, "testcase", _named("no findings", "np2jax"))
    return document(suites)


def document(suites: ElementTree.Element) -> str:
    """The text of a file."""
    ElementTree.indent(suites)
    body: bytes = ElementTree.tostring(suites, encoding="us-ascii", xml_declaration=False)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + body.decode()


def _suite(suites: ElementTree.Element, path: str, items: Iterable[Diagnostic]) -> None:
    items = list(items)
    suite = ElementTree.SubElement(suites, "testsuite", _counts(path, len(items), 0))
    for found in items:
        item = in_file(found)
        # With its place: GitLab counts tests of one name in one class once.
        case = ElementTree.SubElement(suite, "testcase", _named(f"{item.code} at {found.place.removeprefix(f'{path}:')}", path))
        case.set("file", xml_text(path))
        case.set("line", str(item.line))
        message = xml_text(one_line(item.message))
        failure = ElementTree.SubElement(case, "failure", {"message": message, "type": item.code})
        failure.text = message if found.cell else f"line {item.line}, column {item.column}: {message}"


def _counts(name: str, failures: int, errors: int) -> dict[str, str]:
    counts = {"tests": failures + errors, "failures": failures, "errors": errors}
    return {"name": xml_text(name), **{key: str(value) for key, value in counts.items()}}


def _named(name: str, path: str) -> dict[str, str]:
    return {"name": name, "classname": xml_text(PurePath(path).with_suffix("").as_posix())}


def xml_text(text: str) -> str:
    """Text without the characters that XML cannot express."""
    return NOT_IN_XML.sub("\ufffd", text)
