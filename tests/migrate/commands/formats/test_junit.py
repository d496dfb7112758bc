from xml.etree import ElementTree

from np2jax.migrate.commands.formats.findings_report import FindingsReport
from np2jax.migrate.commands.formats.junit import render


def test_junit(report):
    text = render(report)
    assert text.isascii()
    suites = ElementTree.fromstring(text)
    assert suites.attrib == {"name": "np2jax", "tests": "3", "failures": "2", "errors": "1"}
    first, second, error = suites
    assert first.attrib == {"name": "pkg/a b.py", "tests": "1", "failures": "1", "errors": "0"}
    (case,) = first
    assert (case.get("name"), case.get("classname"), case.get("line")) == ("NJ101 at 3:5", "pkg/a b", "3")
    (failure,) = second.iter("failure")
    assert failure.get("message") == "50% of it: by <hand> & \ufffd"
    assert failure.text == "line 1, column 1: 50% of it: by <hand> & \ufffd"
    assert error.find("testcase/error").get("message") == "pkg/c.py:2: syntax error"


def test_every_character_can_be_written(finding):
    item = finding(path="b\udcff.py", message="".join(map(chr, range(1, 0x300))) + "\ufffe\ud800\U0001f600")
    assert "\U0001f600" in ElementTree.fromstring(render(FindingsReport((item,)))).find(".//failure").text


def test_without_findings_one_test_passes():
    suites = ElementTree.fromstring(render(FindingsReport(())))
    assert (suites.get("tests"), suites.get("failures")) == ("1", "0")
    (case,) = suites.iter("testcase")
    assert list(case) == []
