"""Rounds are skipped only where they certainly repeat, and end as they would if they were run."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2jax.migrate.analysis.state.project_facts import Facts
from np2jax.migrate.project import pass_manager as passes
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import pass_manager
from np2jax.migrate.project.repetition import period, round_of, skipped
from np2jax.migrate.project.workers import started
from np2jax.rules.core.findings import Kind
from np2jax.rules.facts.values import UNKNOWN, Value

LIST = Value(Kind.LIST)
CODE = b"import numpy as np\n\n\ndef f(x):\n    return np.sum(x)\n\n\ndef g(x):\n    return f(x)\n"


def rounds(states, interpreted=("m.f",), times=1):
    return [round_of({"m": state}, Facts(), {}, dict.fromkeys(interpreted, times)) for state in states]


@pytest.mark.parametrize(
    ("states", "expected"),
    [("", 0), ("a", 0), ("aaa", 1), ("abab", 0), ("ababa", 2), ("zzababa", 2), ("ababac", 0), ("abcabca", 3), ("abcabc", 0)],
)
def test_a_period_is_certain_once_all_of_it_was_seen_twice_from_the_same_start(states, expected):
    assert period(rounds(states)) == expected


def test_rounds_that_leave_the_same_and_did_not_do_the_same_may_go_on_differently():
    alike = rounds("ababa")
    assert period([*alike[:-1], *rounds("a", interpreted=("m.f", "m.g"))]) == 0
    assert period(rounds("ababa", times=2)) == 0  # something was learned
    for part, name in (("hierarchy", "wide"), ("host", "needed_again"), ("host", "not_needed"), ("host", "python_results")):
        facts = Facts()
        setattr(getattr(facts, part), name, {("m.C", "x"): UNKNOWN} if name == "wide" else frozenset({"m.f"}))
        assert period([*alike[:-1], alike[-1]._replace(carried=round_of({}, facts, {}, {}).carried)]) == 0, name
    assert period([*alike[:-1], alike[-1]._replace(assumed={("m.C", "x"): UNKNOWN})]) == 0


def test_only_whole_periods_are_skipped():
    assert [skipped(rounds("ababa"), left) for left in range(6)] == [0, 0, 2, 2, 4, 4]
    assert skipped(rounds("abab"), 9) == 0


def ended(monkeypatch, alternating, start, skips):
    """How often units are interpreted, and what `resolve` leaves, where the result of f alternates from round `start` on."""
    if not skips:
        monkeypatch.setattr(passes, "skipped", lambda history, left: 0)
    with started([ProjectFile(Path("code.py"), "code", CODE)], 1) as shards:
        manager = pass_manager([ProjectFile(Path("code.py"), "code", CODE)], Options(), shards)
        manager.optimistic = False
        run, calls = shards.summarise, []

        def summarise(facts):
            calls.append(facts.functions.get("code.f"))
            changed = {s.name: s for s in run(facts)}
            known = changed.get("code") or manager.summaries["code"]
            result = alternating[len(calls) % len(alternating)] if len(calls) >= start else Value(Kind.ARRAY, rank=len(calls))
            return [known._replace(units=tuple(u._replace(result=result) if u.name == "code.f" else u for u in known.units))]

        monkeypatch.setattr(shards, "summarise", summarise)
        manager.run("resolve")
    left = (
        manager.summaries,
        manager.unstable,
        manager.rounds,
        manager.settings.kept,
        manager.facts.functions,
        manager.facts.params,
    )
    return len(calls), left


@pytest.mark.parametrize("start", [1, 2, 3, 4, 12, 16])
@pytest.mark.parametrize("alternating", [(LIST, UNKNOWN), (LIST, UNKNOWN, Value(Kind.DICT))])
def test_summaries_that_alternate_end_as_if_all_rounds_were_run(monkeypatch, alternating, start):
    with monkeypatch.context() as patched:
        fewer, found = ended(patched, alternating, start, skips=True)
    with monkeypatch.context() as patched:
        every, expected = ended(patched, alternating, start, skips=False)
    assert found == expected
    assert "code.f" in found[1]
    assert every == passes.MOST_ROUNDS + 1
    assert fewer < every or start > 8
