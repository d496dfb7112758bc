import json

from np2jax.migrate.commands.formats.findings_report import FindingsReport
from np2jax.migrate.commands.formats.gitlab import render


def test_gitlab(report):
    first, second, error = json.loads(render(report))
    assert set(first) == {"check_name", "description", "severity", "fingerprint", "location"}
    assert (first["check_name"], first["severity"]) == ("NJ101", "major")
    assert first["location"] == {"path": "pkg/a b.py", "lines": {"begin": 3, "end": 3}}
    assert second["location"]["lines"] == {"begin": 1, "end": 2}
    assert "\n" not in second["description"]
    assert (error["check_name"], error["severity"]) == ("unreadable-file", "critical")
    assert json.loads(render(FindingsReport(()))) == []


def fingerprints(text, *found):
    return [issue["fingerprint"] for issue in json.loads(render(FindingsReport(found, sources={"a.py": text})))]


def test_a_fingerprint_survives_moved_lines(finding):
    before = fingerprints(b"x = 1\ny = np.sum(x)\n", finding(line=2))
    assert fingerprints(b"\n\nx = 1\ny = np.sum(x)\n", finding(line=4)) == before
    assert fingerprints(b"x = 1\ny = np.max(x)\n", finding(line=2)) != before


def test_fingerprints_of_equal_findings_differ(finding):
    found = fingerprints(b"f(x)\nf(x)\nf(x)\n", finding(line=1), finding(line=2), finding(line=3))
    assert len({*found}) == 3


def test_paths_are_relative_to_the_repository(finding, monkeypatch, tmp_path):
    monkeypatch.setenv("CI_PROJECT_DIR", str(tmp_path))
    (issue,) = json.loads(render(FindingsReport((finding(str(tmp_path / "pkg" / "a.py")),))))
    assert issue["location"]["path"] == "pkg/a.py"
