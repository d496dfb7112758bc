"""Differences that a baseline accepts do not count, until their last day; new ones do."""

import datetime
import json
from dataclasses import replace

import pytest

from np2jax.runtime_shim.values.errors import ShimError
from np2jax.runtime_shim.verification.known_differences import acceptance, accepted, read_known
from np2jax.runtime_shim.verification.report import FunctionVerdict, ProgramVerdict, Report

REPORT = Report(
    "a",
    "b",
    (
        FunctionVerdict("m.py", "m.f", 3, "agrees", recorded=2),
        FunctionVerdict("m.py", "m.g", 9, "differs", "result[0]: the values differ", call="x=[1.] float64", where="result[0]"),
        FunctionVerdict("m.py", "m.h", 12, "error in converted", "TypeError: no (m.py, line 3)"),
    ),
    (ProgramVerdict("main.py", "differs", "line 1 of its output"),),
)
LATER = "2999-12-31"


@pytest.fixture
def known(tmp_path):
    path = tmp_path / "known.json"
    report, said, text = acceptance(None, path, "the mean of no numbers", LATER)(REPORT)
    path.write_text(text)
    assert report.ok and said == [f"{path}: 3 accepted differences"]
    return path


def test_the_file(known):
    entries = json.loads(known.read_text())["differences"]
    assert [(one["file"], one["name"], one["where"], one["until"]) for one in entries] == [
        ("m.py", "m.g", "result[0]", LATER),
        ("m.py", "m.h", "TypeError", LATER),
        ("main.py", "", "", LATER),
    ]
    assert {one["reason"] for one in entries} == {"the mean of no numbers"}


def test_known_differences_do_not_count_on_other_inputs(known):
    verdicts = [replace(one, call="x=[2.] float64") for one in REPORT.functions]
    report, said = accepted(replace(REPORT, functions=tuple(verdicts)), read_known(known), datetime.date(2026, 1, 1))
    assert report.ok and said == []
    assert report.counts() == {"differs": 0, "error in converted": 0, "not compared": 0, "accepted": 2, "agrees": 1}
    assert "m.g: accepted: until 2999-12-31, because the mean of no numbers; differs: result[0]" in report.to_text()


@pytest.mark.parametrize("change", [{"where": "result[1]"}, {"name": "m.new"}, {"file": "n.py"}])
def test_another_difference_counts(known, change):
    other = replace(REPORT.functions[1], **change)
    report, said = accepted(replace(REPORT, functions=(other,)), read_known(known), datetime.date(2026, 1, 1))
    assert not report.ok
    assert "m.g: the accepted difference is no longer there" in said


def test_a_difference_counts_again_after_its_last_day(known):
    entries = read_known(known)
    assert accepted(REPORT, [replace(one, until="2026-03-01") for one in entries], datetime.date(2026, 3, 1))[0].ok
    report, said = accepted(REPORT, [replace(one, until="2026-03-01") for one in entries], datetime.date(2026, 3, 2))
    assert not report.ok and len(said) == 3
    assert "m.g: was accepted until 2026-03-01 (the mean of no numbers), and counts again" in said


def test_old_entries_keep_their_reason(known):
    fewer = replace(REPORT, programs=(), functions=(*REPORT.functions[:2], replace(REPORT.functions[1], name="m.new")))
    _, _, text = acceptance(known, known, "another one", "2999-01-01")(fewer)
    reasons = {one["name"]: (one["reason"], one["until"]) for one in json.loads(text)["differences"]}
    assert reasons == {"m.g": ("the mean of no numbers", LATER), "m.new": ("another one", "2999-01-01")}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((None, "b.json", None, None), "--write-baseline needs --reason TEXT"),
        ((None, "b.json", " ", None), "--write-baseline needs --reason TEXT"),
        ((None, None, "why", None), "--write-baseline FILE"),
        ((None, "b.json", "why", "2020-01-01"), "--until 2020-01-01 is over"),
        ((None, "b.json", "why", "soon"), "--until 'soon' is no day; write it as 2027-01-31"),
    ],
)
def test_wrong_options(arguments, words, tmp_path):
    baseline, to_write, reason, until = arguments
    with pytest.raises(ShimError, match=words):
        acceptance(baseline, to_write and tmp_path / to_write, reason, until)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read"),
        ("{", "not JSON"),
        ("[]", "though it is JSON"),
        ('{"version": 2, "differences": []}', "another version"),
        ('{"version": 1, "differences": [{"file": "m.py"}]}', "though it is JSON"),
        (
            '{"version": 1, "differences": [{"file": "m.py", "name": "m.f", "verdict": "differs", "where": "", "reason": "", "until": "2027-01-31"}]}',
            "has no reason",
        ),
        (
            '{"version": 1, "differences": [{"file": "m.py", "name": "m.f", "verdict": "differs", "where": "", "reason": "r", "until": "x"}]}',
            "is no day",
        ),
    ],
)
def test_files_that_are_no_baseline(tmp_path, text, words):
    path = tmp_path / "known.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ShimError) as error:
        read_known(path)
    assert str(error.value).startswith(f"{path}: ") and words in str(error.value) and "\n" not in str(error.value)
