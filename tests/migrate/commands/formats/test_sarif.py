import json

from np2jax.migrate.commands.formats.findings_report import FindingsReport
from np2jax.migrate.commands.formats.sarif import render


def test_sarif(report):
    log = json.loads(render(report))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["NJ101", "NJ999"]
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("NJ101", 0, "warning")
    assert first["message"] == {"text": "`np.sqrt` is `jnp.sqrt`"}
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "pkg/a%20b.py"}
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 12}
    assert second["ruleIndex"] == 1
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (error,) = invocation["toolExecutionNotifications"]
    assert error["message"] == {"text": "pkg/c.py:2: syntax error"}


def test_sarif_of_absolute_paths(finding):
    log = json.loads(render(FindingsReport((finding("/a/b.py"),))))
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///a/b.py"
