"""Compares printed text: words exactly, numbers with a tolerance, timings not at all."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..values.calls import Outcome
from ..values.comparison import Tolerance

# `scale` is of the largest number in a line, and of 1: what rounding leaves of numbers that cancel.
PRINTED = {"float64": Tolerance(1e-6, 1e-14), "float32": Tolerance(1e-2, 1e-6)}
LIKELY = 10  # a unit of the last digit, in tolerances: up to here numbers that agree are often printed as neighbours
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)(?![\w])", re.I)
# Words of timings; those that are only in TIMING may be about time in a model.
STOPWATCH = re.compile(r"\b(timed|timing|elapsed|took|it/s|fps|throughput)\b", re.I)
POSITION = re.compile(r" \([^()]*, line \d+\)$")  # where an exception was raised
TIMING = re.compile(
    STOPWATCH.pattern + r"|\b(times?|duration|seconds?|secs?|msec|minutes?|faster|slower|speed-?up|speed)\b|\d\s?(?:[mnµu]?s)\b",
    re.I,
)


WARNED = re.compile(r".*:\d+: \w*Warning: ")  # the code that warned is the next line


@dataclass(frozen=True, slots=True)
class Printed:
    """The comparison of two outputs: `reason` is the first difference, "" for none.

    `perhaps_timings`: lines differ that may be about timings or about time in a model; a second run of the original tells.
    """

    reason: str
    notes: tuple[str, ...] = ()
    perhaps_timings: bool = False


def compare_output(want: str, got: str, tolerance: Tolerance, again: str | None = None) -> Printed:
    """Compare printed lines: words exactly, numbers by `_same_number`, timings not at all.

    `again`: the output of a second run of the original. A line that it repeats is not about timings, unless its words leave no
    doubt, or its numbers are 0: a short time, rounded.
    """
    left, right = want.splitlines(), got.splitlines()
    repeated = [] if again is None else again.splitlines()
    timings, doubt = 0, False
    for number, (one, two) in enumerate(zip(left, right, strict=False), 1):
        if _same_line(one, two, tolerance):
            continue
        sure = STOPWATCH.search(one) or all(float(text) == 0 for text in _numbers(one))
        repeats = repeated[number - 1 : number] == [one]
        if TIMING.search(one) and (sure or not repeats):
            timings += 1
            doubt |= not sure
            continue
        return Printed(f"line {number} of its output: the original {one.strip()[:120]!r}, converted {two.strip()[:120]!r}")
    if len(left) != len(right):
        return Printed(f"it prints {len(right)} lines, the original {len(left)}")
    return Printed("", (f"{timings} line(s) about timings differ",) if timings else (), doubt)


def lost_message(want: str, got: str, tolerance: Tolerance, again: str = "") -> str:
    """The first line on the standard error output of the original that the converted version does not write there, in this order; "" for
    none. `again`: that of a second run of the original, which has to repeat the line. JAX may write more lines, and warnings differ."""
    left, repeated = got.splitlines(), again.splitlines()
    quoted = False
    for line in want.splitlines():
        warned, quoted = quoted, bool(WARNED.match(line))
        if quoted or warned or not line.strip() or TIMING.search(line) or line not in repeated:
            continue
        at = next((number for number, one in enumerate(left) if _same_line(line, one, tolerance)), None)
        if at is None:
            return line
        left = left[at + 1 :]
    return ""


def told_otherwise(want: Outcome, got: Outcome, tolerance: Tolerance) -> str:
    """How the converted call prints something else than the original, or warns or logs otherwise; "" if it does not."""
    if want.printed or got.printed:
        first = next(iter(got.printed.strip().splitlines()), "")[:120]
        found = compare_output(want.printed, got.printed, tolerance).reason
        reason = found if want.printed or not found else f"it prints {first!r}, the original nothing"
        if reason:
            return reason
    pairs = itertools.zip_longest(want.messages.splitlines(), got.messages.splitlines(), fillvalue="")
    for ours, theirs in pairs:
        if not _same_line(ours, theirs, tolerance):
            return f"warnings and messages: {_or_nothing(ours)} in the original, {_or_nothing(theirs)} in the converted version"
    return ""


def _or_nothing(line: str) -> str:
    return repr(line.strip()[:120]) if line else "nothing"


def same_error(want: str, got: str, tolerance: Tolerance) -> bool:
    """Whether two exceptions, as one line each, have the same type and the same text, with the same numbers up to rounding."""
    return _same_line(error_text(want), error_text(got), tolerance)


def error_text(error: str) -> str:
    """The type and the text of an exception, without the place where it was raised."""
    return POSITION.sub("", error)


def _same_line(want: str, got: str, tolerance: Tolerance) -> bool:
    one, two = _plain(want), _plain(got)
    if NUMBER.sub("#", one) != NUMBER.sub("#", two):
        return False
    left, right = list(_numbers(one)), list(_numbers(two))
    sizes = (abs(float(text)) for text in left)
    noise = tolerance.scale * max([1.0, *filter(math.isfinite, sizes)])
    return all(_same_number(*pair, tolerance.rtol, noise) for pair in zip(left, right, strict=True))


def _plain(line: str) -> str:
    """The line without markers of a number's library, and without the spaces that align columns."""
    line = re.sub(r"\b(?:np|jnp|numpy)\.(?:float|int|bool_?|complex)\d*\(([^()]*)\)", r"\1", line)
    line = re.sub(r"\bArray\(", "array(", line)
    line = re.sub(r",\s*(?:dtype=[\w.]+|weak_type=\w+)", "", line)
    line = re.sub(r"\barray\(([^()\[\]]*)\)", r"\1", line)
    line = re.sub(r"\s*([\[\](),])\s*", r"\1", line)
    return " ".join(line.split())


def _numbers(line: str) -> Iterator[str]:
    return (match.group() for match in NUMBER.finditer(line))


def _same_number(want: str, got: str, rtol: float, noise: float) -> bool:
    """Whether printed numbers agree: whole numbers exactly, floats within `rtol` of the original, or `noise`.

    Numbers that differ by less may be rounded to neighbours when they are printed. That is likely only where a unit of the last
    digit is not much more than the tolerance. With fewer digits, neighbours such as 0.9 and 1.0 are different results.
    """
    if want == got:
        return True
    whole = [text.lstrip("+-").isdigit() for text in (want, got)]
    if any(whole):
        return all(whole) and int(want) == int(got)
    left, right = float(want), float(got)
    if not math.isfinite(left) or not math.isfinite(right):
        return left == right or (math.isnan(left) and math.isnan(right))
    allowed, unit = rtol * abs(left), max(_unit(want), _unit(got))
    return abs(left - right) <= max(allowed + (unit if unit <= LIKELY * allowed else 0.0), noise)


def _unit(number: str) -> float:
    """One unit of the last digit printed; 0 for a number that is printed with all its digits."""
    digits, _, exponent = number.lower().partition("e")
    fraction = digits.partition(".")[2]
    if len(fraction) > 9:
        return 0.0
    return float(10.0 ** (int(exponent or 0) - len(fraction)))
