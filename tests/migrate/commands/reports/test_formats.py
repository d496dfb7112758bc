"""JUnit, SARIF, JSON and the Markdown of a pull request, all of one document; a hostile one where a format has markup."""

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from np2jax.migrate.commands.reports import junit, pull_request, sarif
from np2jax.migrate.commands.reports.document import of_verification
from np2jax.migrate.project.failure import Failure
from np2jax.runtime_shim.verification.coverage import Compared, Share
from np2jax.runtime_shim.verification.report import FunctionVerdict, ProgramVerdict, Report

NASTY = "a|b ]]> <failure/> & \x00\n\u202e שלום"
SCHEMA = json.loads((Path(__file__).parents[4] / "docs/report.schema.json").read_text())
OUTCOME = {
    "name": "m.f", "module": "m", "label": "assumed", "transform": "jit", "codes": ["NJ501"], "reason": "",
    "conditions": [{"kind": "divisor", "line": 4, "column": 2, "words": "`n` is not 0"}], "findings": [],
}  # fmt: skip


def document(*functions, programs=(), least=0.0):
    compared = Compared(Share(1, 3), Share(5, 6), Share(0, 0), Share(3, 3), {"m.py": (3, 4)})
    report = Report("a", "b", functions, programs, (NASTY,), compared=compared, least=least, versions={"jax": "1"})
    return of_verification(report.to_dict(), [OUTCOME], {}, {})


def mixed():
    return document(
        FunctionVerdict("m.py", "m.f", 3, "agrees", recorded=2, modes=("jitted", "eager")),
        FunctionVerdict("m.py", "m.g", 9, "differs", NASTY, call=f"x={NASTY}", original="1.0", converted="2.0"),
        FunctionVerdict("m.py", "m.h", 12, "not compared", "it is a generator", needs="a call"),
        FunctionVerdict("n.py", "n.i", 1, "error in converted", "TypeError: no", generated=3, modes=("jitted",)),
        programs=(ProgramVerdict("main.py", "differs", "exit status 1"), ProgramVerdict("other.py", "agrees", "", 4)),
        least=90.0,
    )


@pytest.mark.parametrize("verdict", ["differs", "error in converted", "accepted"])
def test_a_label_that_the_run_refutes_is_not_kept(verdict):
    report = Report("a", "b", (FunctionVerdict("m.py", "m.f", 3, verdict, "values differ"),))
    outcomes = [{**OUTCOME, "label": label} for label in ("proved", "assumed", "checked", "kept")]
    found = [of_verification(report.to_dict(), [one], {}, {}).data for one in outcomes]
    labels = [one["functions"][0]["label"] for one in found]
    assert labels == ["refuted", "refuted", "refuted", "kept"]
    assert found[0]["summary"]["labels"] == {"refuted": 1}
    assert found[0]["functions"][0]["label_reason"] == "the conversion said proved; the run refutes it"


def test_junit_has_a_case_for_each_function_and_rung():
    root = ElementTree.fromstring(junit.render(mixed()))
    cases = {case.get("name"): [outcome.tag for outcome in case] for case in root.iter("testcase")}
    assert cases == {
        "main.py": ["failure"],
        "other.py": [],
        "how much was compared": ["failure"],
        "m.f [verdict]": [],
        "m.f [recorded calls]": [],
        "m.f [jitted]": [],
        "m.f [eager]": [],
        "m.g [verdict]": ["failure"],
        "m.h [verdict]": ["skipped"],
        "n.i [verdict]": ["error"],
        "n.i [generated calls]": [],
        "n.i [jitted]": [],
    }
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "12", "failures": "3", "errors": "1", "skipped": "1",
    }  # fmt: skip
    assert [suite.get("tests") for suite in root] == ["2", "1", "6", "3"]
    (failure,) = root.iterfind(".//testcase[@name='m.g [verdict]']/failure")
    assert "]]> <failure/> &" in failure.text and failure.get("type") == "differs"


def test_sarif_tells_what_differs_and_where():
    log = json.loads(sarif.render(mixed()))
    (run,) = log["runs"]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    found = [
        (one["ruleId"], one["level"], one["locations"][0]["physicalLocation"]["region"]["startLine"]) for one in run["results"]
    ]
    assert found == [
        ("verify-differs", "error", 1),
        ("verify-differs", "error", 9),
        ("verify-error", "error", 1),
        ("verify-not-compared", "note", 12),
    ]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in run["results"])
    assert "\u202e" not in run["results"][1]["message"]["text"]
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "less than 90%" in said["message"]["text"]


def test_json_follows_its_schema():
    data = json.loads(json.dumps(mixed().data))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(data, SCHEMA)
    assert (data["schema"], data["summary"]["labels"]) == (1, {"assumed": 1})
    data["functions"][0]["verdict"] = "fine"
    with pytest.raises(jsonschema.ValidationError, match="'fine' is not one of"):
        jsonschema.validate(data, SCHEMA)


def test_a_pull_request_shows_what_changed():
    base = document(
        FunctionVerdict("m.py", "m.f", 3, "agrees", recorded=2),
        FunctionVerdict("m.py", "m.g", 7, "agrees"),
        FunctionVerdict("n.py", "n.i", 1, "error in converted", "other words"),
        FunctionVerdict("n.py", "n.gone", 1, "agrees"),
        programs=(ProgramVerdict("main.py", "agrees"), ProgramVerdict("other.py", "agrees")),
    )
    text = pull_request.render(mixed(), base.data)
    rows = [line.split(" | ")[:4] for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
    assert rows == [
        ["| m.g", "m.py:9", "agrees", "differs"],
        ["| program main.py", "main.py", "agrees", "differs"],
        ["| m.h", "m.py:12", "new", "not compared"],
        ["| n.gone", "n.py", "agrees", "gone"],
    ]
    assert text.startswith("## np2jax: Failed. Functions: 1 differs, 1 error in converted")
    assert "As on the base branch, 1 fails." in text
    assert "<failure/>" not in text and "\x00" not in text
    assert "No verdict and no label changed" in pull_request.render(mixed(), mixed().data)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no JSON"),
        ("[1]", "is no report of"),
        ('{"schema": 2, "functions": []}', "is a report of schema 2"),
        ('{"functions": [{"name": "f", "verdict": "agrees"}]}', "is no report of"),
        (None, "cannot be read"),
    ],
)
def test_a_base_that_is_none(tmp_path, content, message):
    path = tmp_path / "base.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(Failure, match=message) as failure:
        pull_request.base_report(path)
    assert "\n" not in str(failure.value)
