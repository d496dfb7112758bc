"""Reports: data, Markdown, text; nothing in them is markup or a control sequence."""

import json

from np2jax.runtime_shim.verification.coverage import Compared, Share
from np2jax.runtime_shim.verification.report import FunctionVerdict, ProgramVerdict, Report

NASTY = "a|b *c* `d` <script>\n\x1b[31m[x](y)"


def made():
    return Report(
        "a",
        NASTY,
        (
            FunctionVerdict("m.py", "m.f", 3, "agrees", recorded=2, generated=5, modes=("jitted", "eager")),
            FunctionVerdict("m.py", "m.g", 9, "differs", NASTY, call=f"x={NASTY}", notes=(NASTY,)),
            FunctionVerdict("m.py", "m.h", 12, "not compared", "it is a generator"),
        ),
        (ProgramVerdict("main.py", "agrees", "", 4),),
        (NASTY,),
        platforms=("cpu",),
        versions={"jax": "1"},
    )


def test_json():
    data = json.loads(json.dumps(made().to_dict()))
    assert data["ok"] is False and data["functions"][1]["reason"] == NASTY
    assert data["summary"]["functions"] == {"differs": 1, "error in converted": 0, "not compared": 1, "agrees": 1}
    assert {"original", "converted", "programs", "notes", "precision", "platforms", "versions", "seconds"} <= set(data)


def test_markdown_escapes():
    text = made().to_markdown()
    rows = [line for line in text.splitlines() if line.startswith("| m.")]
    assert len(rows) == 3 and rows[0].startswith("| m.g")  # what differs comes first
    for row in rows:
        assert row.replace("\\|", "").count("|") == 4
    assert "\x1b" not in text and "<script>" not in text and "[x](y)" not in text


def test_text_has_one_line_an_item():
    text = made().to_text()
    assert "\x1b" not in text and "m.py:3: m.f: agrees (7 calls: 2 recorded, 5 generated; jitted, eager)" in text.splitlines()
    assert len(text.splitlines()) == 1 + 3 + 2 + 1 + 1
    assert text.splitlines()[-1].startswith("1 differs, 1 not compared, 1 agrees")


def test_ok():
    agrees, not_compared = FunctionVerdict("m", "f", 1, "agrees"), FunctionVerdict("m", "f", 1, "not compared", "why")
    assert Report("a", "b", (agrees, not_compared)).ok
    assert Report("a", "b", (not_compared,), (ProgramVerdict("m", "agrees"),)).ok
    assert not Report("a", "b", (FunctionVerdict("m", "f", 1, "error in converted", "why"),)).ok
    assert not Report("a", "b", (), (ProgramVerdict("m", "differs", "why"),)).ok


def test_nothing_compared_is_not_ok():
    assert Report("a", "b").problems == ("nothing was compared: a has no functions and no programs",)
    one = FunctionVerdict("m", "f", 1, "not compared", "it is a generator")
    other = FunctionVerdict("m", "g", 5, "not compared", "why")
    report = Report("a", "b", (one, one, other))
    assert not report.ok
    assert report.problems == ("nothing was compared: it is a generator, for 2 of 3 functions and programs",)
    assert report.to_dict()["problems"] == report.problems
    assert Report("a", "b", (), (ProgramVerdict("m", "not compared", "why"),)).problems == ("nothing was compared: why",)


def test_less_compared_than_required_is_not_ok():
    agrees = FunctionVerdict("m", "f", 1, "agrees")
    compared = Compared(Share(1, 1), Share(7, 8), Share(1, 2), Share(3, 3), {"m.py": (3, 4, 5, 9)})
    report = Report("a", "b", (agrees,), compared=compared, least=80.0)
    assert report.ok
    assert "never reached: m.py: lines 3-5, 9" in report.to_text()
    assert "compared: 1 of 1 functions; 7 of 8 lines and 1 of 2 branches of the original (80%)" in report.to_text()
    assert "compared: 1 of 1 functions" in report.to_markdown()
    assert report.to_dict()["compared"]["share"] == 80.0
    report = Report("a", "b", (agrees,), compared=compared, least=80.1)
    assert report.problems == ("80.0% of the original was compared, less than 80.1%",)
    assert not report.ok


def test_what_is_needed_stands_in_the_summary():
    function = FunctionVerdict("m", "f", 1, "not compared", "why", needs="it needs a call")
    assert function.summary == "not compared: why; it needs a call"
