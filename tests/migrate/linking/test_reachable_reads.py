"""What units read with whom they call, beside the same found for each unit by itself."""

import pickle
import random

import pytest

from np2jax.migrate.analysis.state.call_signatures import CallShape
from np2jax.migrate.linking.reachable_reads import ReachableReads
from np2jax.migrate.summaries.units import UnitCalls, UnitEffects, UnitSummary, written_name


def one_by_one(units):
    """All that a unit reaches by calls, one unit after the other."""

    def called(unit):
        methods = {
            n.rpartition(".")[2] for n in unit.call_graph.callees if n in units and units[n].cls
        } | unit.call_graph.unresolved
        yield from unit.call_graph.callees & units.keys()
        yield from (u.name for u in units.values() if u.cls and written_name(u.name.rpartition(".")[2]) in methods)
        if unit.call_graph.unknown_calls:
            yield from (e for u in units.values() for e in u.call_graph.escapes if e in units)

    def reached(start):
        seen, work = {start}, [start]
        while work:
            more = {*called(units[work.pop()])} - seen
            seen |= more
            work += more
        return seen

    return {name: frozenset().union(*(units[n].effects.reads for n in reached(name))) for name in units}


def units_made(seed):
    """A few units that call each other, methods of unknown objects and function values."""
    made = random.Random(seed)

    def some(names, *counts):
        names = sorted(names)
        return frozenset(made.sample(names, min(len(names), made.choice(counts))))

    names = {}
    for _ in range(made.randint(1, 14)):
        cls = f"m.C{made.randint(0, 2)}" if made.random() < 0.5 else ""
        accessor = "@setter" if cls and made.random() < 0.2 else ""
        names[f"{cls or 'm'}.f{made.randint(0, 4)}{accessor}"] = cls
    return {
        name: UnitSummary(
            name,
            "m",
            cls=cls,
            call_graph=UnitCalls(
                callees=some(names, 0, 0, 1, 2),
                unresolved=some((f"f{n}" for n in range(7)), 0, 0, 0, 1),
                escapes=some(names, 0, 0, 0, 1),
                unknown_calls=frozenset({CallShape(1)} if made.random() < 0.15 else ()),
            ),
            effects=UnitEffects(reads=some((f"attr:?.r{n}" for n in range(9)), 0, 1, 2)),
        )
        for name, cls in names.items()
    }


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_every_unit_reads_what_it_reaches(first):
    for seed in range(first, first + 100):
        units = units_made(seed)
        assert dict(ReachableReads(units)) == one_by_one(units), seed


def test_a_unit_asked_first_or_last_gets_the_same():
    for seed in range(50):
        units = units_made(seed)
        backwards = ReachableReads(units)
        assert {name: backwards[name] for name in reversed(units)} == dict(ReachableReads(units)), seed


def test_it_travels_to_another_process():
    units = units_made(3)
    assert dict(pickle.loads(pickle.dumps(ReachableReads(units)))) == dict(ReachableReads(units))


def test_a_chain_of_calls_is_as_long_as_it_likes():
    units = {
        f"m.f{n}": UnitSummary(f"m.f{n}", "m", call_graph=UnitCalls(callees=frozenset({f"m.f{n + 1}"}))) for n in range(5_000)
    }
    units["m.f5000"] = UnitSummary("m.f5000", "m", effects=UnitEffects(reads=frozenset({"global:m.x"})))
    assert ReachableReads(units)["m.f0"] == {"global:m.x"}


def test_a_name_that_is_no_unit():
    assert ReachableReads({}).get("m.f") is None
