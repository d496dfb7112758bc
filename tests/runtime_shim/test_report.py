"""Reports: data, Markdown, text; nothing in them is markup or a control sequence."""

import json

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
    assert len(text.splitlines()) == 1 + 3 + 2 + 1
    assert text.splitlines()[-1].startswith("1 differs, 1 not compared, 1 agrees")


def test_ok():
    assert Report("a", "b").ok
    assert Report("a", "b", (FunctionVerdict("m", "f", 1, "not compared", "why"),)).ok
    assert not Report("a", "b", (FunctionVerdict("m", "f", 1, "error in converted", "why"),)).ok
    assert not Report("a", "b", (), (ProgramVerdict("m", "differs", "why"),)).ok
