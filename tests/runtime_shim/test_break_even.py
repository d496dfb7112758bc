"""When compiling has paid, and what the report says about it: arithmetic, no code is run."""

import json

import pytest

from np2jax.runtime_shim.profit.break_even import Timing, fastest, pays_from
from np2jax.runtime_shim.profit.profit_report import (
    CONVERT,
    GENERATED,
    PARTLY,
    RECORDED,
    STAY,
    TESTED,
    UNKNOWN,
    FunctionProfit,
    ProfitReport,
    duration,
    shortly,
    times,
)


def timing(numpy, warm, first=1.0, elements=100):
    return Timing(elements, numpy, first, warm, f"x=float64[{elements}]")


@pytest.mark.parametrize(
    ("numpy", "first", "warm", "calls"),
    [
        (2.0, 1.0, 1.0, 1),  # the first call is faster already
        (2.0, 2.0, 1.0, 1),
        (2.0, 3.0, 1.0, 2),  # 3 + 1 = 2 + 2
        (2.0, 3.5, 1.0, 3),  # 2.5 calls, rounded up
        (2.0, 101.0, 1.0, 100),
        (1.0, 0.0, 0.5, 1),  # the first call was faster than later ones
        (1.0, 5.0, 0.96, None),  # less than clearly faster
        (1.0, 5.0, 1.0, None),
        (1.0, 5.0, 2.0, None),
        (1.0, 0.5, 2.0, None),
    ],
)
def test_calls_until_paid(numpy, first, warm, calls):
    one = Timing(100, numpy, first, warm)
    assert one.calls_until_paid == calls
    if calls is not None:
        assert first + (calls - 1) * warm <= numpy * calls
        assert calls == 1 or first + (calls - 2) * warm > numpy * (calls - 1)


def sizes(*ratios):
    """Timings at growing sizes, with these speedups."""
    return [timing(ratio, 1.0, elements=10**position) for position, ratio in enumerate(ratios)]


@pytest.mark.parametrize(
    ("ratios", "start"),
    [
        ((2.0, 3.0, 4.0), 1),
        ((0.5, 3.0, 4.0), 10),
        ((0.5, 0.9, 4.0), 100),
        ((0.5, 0.6, 0.7), None),
        ((2.0, 0.5, 4.0), 100),  # not from 1 on
        ((2.0, 2.0, 0.5), None),
        ((1.02,), None),
        ((), None),
    ],
)
def test_pays_from(ratios, start):
    found = pays_from(sizes(*ratios))
    assert (found.elements if found else None) == start
    assert pays_from(sizes(*ratios)[::-1]) == found, "in any order"


def test_fastest():
    assert fastest(sizes(0.5, 0.9, 0.7)).elements == 10


def function(name, *ratios, inputs=GENERATED, **more):
    return FunctionProfit("a.py", f"a.{name}", 3, "jit", inputs if ratios else "", tuple(sizes(*ratios)), **more)


@pytest.mark.parametrize(
    ("inputs", "ratios", "worthwhile"),
    [
        (GENERATED, (0.5, 0.5, 2.0), True),
        (GENERATED, (2.0, 0.5, 0.5), True),
        (GENERATED, (0.5, 0.5, 0.5), False),
        (TESTED, (0.5, 0.5, 2.0), True),  # tests use small arguments
        (RECORDED, (0.5, 0.5, 2.0), False),  # the program does not have the larger ones
        (RECORDED, (2.0, 0.5, 0.5), True),
    ],
)
def test_worthwhile(inputs, ratios, worthwhile):
    assert function("f", *ratios, inputs=inputs).worthwhile is worthwhile


@pytest.mark.parametrize(
    ("functions", "verdict", "words"),
    [
        ([], UNKNOWN, "no function"),
        ([function("f", reason="it raises")], UNKNOWN, "no function"),
        ([function("f", 0.5), function("g", 0.9)], STAY, "none of 2 measured functions is faster in JAX at any measured size"),
        ([function("f", 2.0)], CONVERT, "1 of 1 measured function is faster"),
        ([function("f", 2.0), function("g", 0.5, 3.0)], CONVERT, "2 of 2 measured functions are"),
        ([function("f", 2.0), function("g", 0.5)], PARTLY, "1 of 2 measured functions is"),
        (
            [function("f", 0.5, 3.0, inputs=RECORDED)],
            STAY,
            "none of 1 measured function is faster in JAX with recorded arguments; 1 is with other sizes",
        ),
    ],
)
def test_verdict(functions, verdict, words):
    found, reason = ProfitReport("a.py", tuple(functions)).verdict()
    assert found == verdict
    assert words in reason


def test_what_saves_most_stands_first():
    report = ProfitReport("a.py", (function("slow", 0.5), function("some", 2.0), function("most", 9.0), function("none")))
    assert [one.name for one in report.measured] == ["a.most", "a.some", "a.slow"]
    assert [one.name for one in report.unmeasured] == ["a.none"]
    assert report.slower.keys() == {"a.slow"}
    assert report.slower["a.slow"] == "measured, not faster than NumPy: 1 s against 500 ms for x=float64[1]"


def test_a_row():
    one = FunctionProfit("a.py", "a.f", 3, "jit", GENERATED, (timing(1e-6, 2e-6, 0.2, 100), timing(3e-3, 1e-3, 0.201, 10_000)))
    assert one.row() == ("a.f", "3 ms", "201 ms", "1 ms", "100: 0.5x  10k: 3x", "10k", "100 calls")
    assert function("f", 0.5, 0.9).row()[-2:] == ("never", "never")
    assert function("f", 2.0, 0.5).row()[-2:] == ("only at 1", "never")
    assert function("f", 3.0).row()[-1] == "1 call"


def test_the_footer_and_the_data():
    functions = (
        function("f", 2.0, notes=("it fails with x=float64[100]: no\nmemory",)),
        function("g", reason="no value", advice="record it"),
    )
    report = ProfitReport("a.py", functions, (), "cpu", {"jax": "0.9"}, 3.2)
    assert report.footer() == [
        "a.py:3: a.g: not measured: no value",
        "to measure what has no arguments, record it",
        "note: a.f: it fails with x=float64[100]: no\\nmemory",
        "convert: 1 of 1 measured function is faster in JAX (cpu; jax 0.9; 3 s)",
    ]
    data = json.loads(json.dumps(report.to_dict()))
    assert data["verdict"] == CONVERT
    assert [one["saved"] for one in data["functions"]] == [1.0, None]
    assert [one["calls_until_paid"] for one in data["functions"]] == [1, None]
    assert data["functions"][0]["timings"][0]["speedup"] == 2.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2e-9, "0.002 us"), (1.5e-6, "1.5 us"), (123.4e-6, "123 us"), (0.0123, "12.3 ms"), (2.0, "2 s"), (1234.5, "1234 s")],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_counts_and_ratios():
    assert [shortly(count) for count in (1, 999, 1_000, 12_300, 1_000_000)] == ["1", "999", "1k", "12.3k", "1M"]
    assert [times(ratio) for ratio in (0.123, 1.0, 9.94, 12.3, 147.2)] == ["0.12x", "1x", "9.9x", "12x", "147x"]
