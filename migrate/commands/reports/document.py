"""The document that every format is made of: the verdicts on functions and programs, joined with what the conversion says."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....version import __version__
from .places import path_of

DIFFERS, ERROR, NOT_COMPARED, AGREES = "differs", "error in converted", "not compared", "agrees"  # of the shim
NOT_RUN = "not run"  # a conversion that was not verified
ACCEPTED = "accepted"  # by a baseline
VERDICTS = (DIFFERS, ERROR, NOT_COMPARED, NOT_RUN, ACCEPTED, AGREES)
BAD = (DIFFERS, ERROR)
CLAIMS = ("proved", "assumed", "checked")  # labels by which a function equals the original
REFUTED = "refuted"
SCHEMA = 1
OUTCOME = ("label", "transform", "codes", "label_reason", "conditions", "findings")

Sources = Mapping[str, tuple[bytes, bytes]]  # by file: the original, the converted one


@dataclass(frozen=True, slots=True)
class Document:
    """`data`: what the JSON report holds (docs/report.schema.json). `sources`: the text of both versions, which it does not hold."""

    data: Mapping[str, Any]
    sources: Sources = field(default_factory=dict)

    @property
    def functions(self) -> list[dict[str, Any]]:
        """The functions, those that differ first."""
        return sorted(self.data["functions"], key=lambda one: (VERDICTS.index(one["verdict"]), one["file"], one["line"]))

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        if self.data["ok"] is None:
            return "Not verified: neither version was run."
        counts = ", ".join(f"{number} {verdict}" for verdict, number in self.data["summary"]["functions"].items() if number)
        programs = Counter(one["verdict"] for one in self.data["programs"])
        if programs:
            counts += "; programs: " + ", ".join(f"{programs[verdict]} {verdict}" for verdict in VERDICTS if programs[verdict])
        return f"{'Passed' if self.data['ok'] else 'Failed'}. Functions: {counts or 'none'}."


def of_verification(
    found: Mapping[str, Any], outcomes: Sequence[Mapping[str, Any]], sources: Sources, digests: Mapping[str, str]
) -> Document:
    """The document of `verify`. `found`: its result as plain data; `outcomes`: what the conversion said of each function.

    `digests`: of each module when it was converted. What changed since keeps its labels, but not its findings, whose lines may be
    others.
    """
    by_name = {one["name"]: one for one in outcomes}
    known = {hashlib.sha256(original).hexdigest() for original, _ in sources.values()}
    functions = []
    for verdict in found["functions"]:
        outcome = by_name.get(verdict["name"], {})
        fresh = digests.get(outcome.get("module", "")) in known
        functions.append(_after_run({**verdict, **_told(outcome), **({} if fresh else {"findings": []})}))
    return Document({**_head(), **found, "functions": functions, "summary": _summary(functions, found["programs"])}, sources)


def of_conversion(outcomes: Sequence[Mapping[str, Any]], verification: Mapping[str, Any], sources: Sources) -> Document:
    """The document of `convert`; `verification` is what `convert --verify` found, {} without it."""
    runs = verification.get("paths", [verification] if verification else [])
    verdicts = {one["name"]: one for run in runs for one in run["functions"]}
    programs = [{**one, "file": path_of(run, one["file"])} for run in runs for one in run["programs"]]
    functions = []
    for outcome in outcomes:
        if outcome["name"].endswith("<module>"):
            continue
        verdict = verdicts.get(outcome["name"], {"verdict": NOT_COMPARED if runs else NOT_RUN, "reason": ""})
        place = {"file": outcome["file"], "name": outcome["name"], "line": outcome["line"]}
        functions.append(_after_run({**verdict, **place, **_told(outcome)}))
    ok = all(run["ok"] for run in runs) if runs else None
    data = {
        **_head(),
        **(_extent(runs[0]) if len(runs) == 1 else {}),
        "ok": ok,
        "problems": [problem for run in runs for problem in run["problems"]],
        "functions": functions,
        "programs": programs,
        "summary": _summary(functions, programs),
    }
    return Document(data, sources)


def _extent(run: Mapping[str, Any]) -> dict[str, Any]:
    """How the one verification of a conversion was made. It compared copies, whose places are nobody's concern."""
    known = {name: run[name] for name in ("notes", "precision", "platforms", "versions", "seconds", "compared", "least")}
    unreached = {path_of(run, file): lines for file, lines in run["compared"]["unreached"].items()}
    return {**known, "compared": {**run["compared"], "unreached": unreached}}


def _head() -> dict[str, Any]:
    return {"schema": SCHEMA, "tool": {"name": "np2jax", "version": __version__}}


def _told(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """What the conversion says of a function; its reason is the one for the label, not for the verdict."""
    told = {**outcome, "label_reason": outcome.get("reason", "")}
    return {name: told.get(name, "" if name in ("label", "transform", "label_reason") else []) for name in OUTCOME}


def refutation(label: str) -> tuple[str, str]:
    """The label, and the reason for it, of a function that had `label` and turned out to differ."""
    return REFUTED, f"the conversion said {label}; the run refutes it"


def _after_run(function: dict[str, Any]) -> dict[str, Any]:
    """The function, without a label that its verdict refutes. A difference that a baseline accepts is one all the same."""
    if function["verdict"] in (*BAD, ACCEPTED) and function["label"] in CLAIMS:
        label, why = refutation(function["label"])
        return {**function, "label": label, "label_reason": why}
    return function


def _summary(functions: Sequence[Mapping[str, Any]], programs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    verdicts = Counter(one["verdict"] for one in functions)
    return {
        "functions": {
            verdict: verdicts[verdict] for verdict in VERDICTS if verdict not in (NOT_RUN, ACCEPTED) or verdicts[verdict]
        },
        "labels": dict(Counter(one["label"] for one in functions if one["label"]).most_common()),
        "programs": len(programs),
    }
