"""What was measured, and what it means for the project: plain data, as JSON and as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .break_even import Timing, fastest, pays_from

RECORDED, TESTED, GENERATED = "recorded", "from tests", "generated"
COLUMNS = ("function", "NumPy", "first call", "JAX", "times as fast, by size", "pays from", "pays after")
STAY, PARTLY, CONVERT, UNKNOWN = "stay on NumPy", "convert with --only-if-faster", "convert", "nothing measured"
RECORD = "record a real call: `np2jax record -- python PROGRAM`, then --evidence np2jax-evidence.zip"


@dataclass(frozen=True, slots=True)
class FunctionProfit:
    """One converted function: its times by size, the smallest size first, or the `reason` for having none.

    `inputs`: recorded, from tests (both: the first size is as recorded, the others are tiled) or generated.
    """

    file: str
    name: str  # qualified: "pkg.mod.C.m"
    line: int
    transform: str
    inputs: str = ""
    timings: tuple[Timing, ...] = ()
    reason: str = ""
    advice: str = ""  # what would be needed to measure it
    notes: tuple[str, ...] = ()

    @property
    def chief(self) -> Timing:
        """The times that stand for the function: with arguments as recorded, or else with the largest ones; tests use small ones."""
        return self.timings[0 if self.inputs == RECORDED else -1]

    @property
    def pays(self) -> bool:
        """Whether JAX is faster at any measured size."""
        return any(timing.pays for timing in self.timings)

    @property
    def worthwhile(self) -> bool:
        """Whether it should be converted: JAX is faster with recorded arguments, or else at any size."""
        return self.chief.pays if self.inputs == RECORDED else self.pays

    def row(self) -> tuple[str, ...]:
        """The cells below COLUMNS."""
        chief, start = self.chief, pays_from(self.timings)
        by_size = "  ".join(f"{shortly(one.elements)}: {times(one.speedup)}" for one in self.timings)
        begins = (
            shortly(start.elements) if start else f"only at {shortly(fastest(self.timings).elements)}" if self.pays else "never"
        )
        count = chief.calls_until_paid
        after = "never" if count is None else f"{count:,} call{'s' * (count > 1)}"
        return (self.name, duration(chief.numpy), duration(chief.first), duration(chief.warm), by_size, begins, after)

    def why_not(self) -> str:
        """Why it does not pay, with the times at the size where JAX does best."""
        best = self.chief if self.inputs == RECORDED else fastest(self.timings)
        return (
            f"measured, not faster than NumPy: {duration(best.warm)} against {duration(best.numpy)} for {best.call or 'a call'}"
        )


@dataclass(frozen=True, slots=True)
class ProfitReport:
    """The functions of a project. `notes`: what concerns all of them."""

    path: str
    functions: tuple[FunctionProfit, ...] = ()
    notes: tuple[str, ...] = ()
    platform: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the table."""
        return COLUMNS

    @property
    def measured(self) -> list[FunctionProfit]:
        """The functions with times, those that save most time in a call first."""
        return sorted((one for one in self.functions if one.timings), key=lambda one: -one.chief.saved)

    @property
    def unmeasured(self) -> list[FunctionProfit]:
        """The functions without times."""
        return [one for one in self.functions if not one.timings]

    @property
    def slower(self) -> dict[str, str]:
        """The functions that should stay NumPy, and the reason in words."""
        return {one.name: one.why_not() for one in self.measured if not one.worthwhile}

    def verdict(self) -> tuple[str, str]:
        """One of the verdicts, and the reason."""
        measured = self.measured
        if not measured:
            return UNKNOWN, self.notes[0] if self.notes else "no function could be measured"
        paying, now = [one for one in measured if one.pays], [one for one in measured if one.worthwhile]
        total = f"measured function{'s' * (len(measured) > 1)}"
        if not paying:
            return STAY, f"none of {len(measured)} {total} is faster in JAX at any measured size"
        if not now:
            sizes = f"{len(paying)} {'is' if len(paying) == 1 else 'are'} with other sizes"
            return STAY, f"none of {len(measured)} {total} is faster in JAX with recorded arguments; {sizes}"
        words = f"{len(now)} of {len(measured)} {total} {'is' if len(now) == 1 else 'are'} faster in JAX"
        if others := len(paying) - len(now):
            words += f", {others} more only with other sizes than the recorded ones"
        return (CONVERT if len(now) == len(measured) else PARTLY), words

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON data; times in seconds."""
        verdict, reason = self.verdict()
        functions = [asdict(one) | {"timings": [_timing(timing) for timing in one.timings]} for one in self.functions]
        for data, one in zip(functions, self.functions, strict=True):
            start = pays_from(one.timings)
            data["pays_from"] = start.elements if start else None
            data["calls_until_paid"] = one.chief.calls_until_paid if one.timings else None
            data["saved"] = one.chief.saved if one.timings else None
        about = {"path": self.path, "platform": self.platform, "versions": dict(self.versions), "seconds": self.seconds}
        return about | {"functions": functions, "notes": list(self.notes), "verdict": verdict, "reason": reason}

    def footer(self) -> list[str]:
        """The lines below the table: what was not measured, notes, and the verdict last."""
        lines = [f"{_line(one.file)}:{one.line}: {one.name}: not measured: {_line(one.reason)}" for one in self.unmeasured]
        lines += [f"to measure what has no arguments, {one}" for one in dict.fromkeys(o.advice for o in self.unmeasured) if one]
        lines += [f"note: {one.name}: {_line(note)}" for one in self.measured for note in one.notes]
        verdict, reason = self.verdict()
        lines += [f"note: {_line(note)}" for note in self.notes if note != reason]
        tools = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        about = f" ({'; '.join(part for part in (self.platform, tools, f'{self.seconds:.0f} s') if part)})"
        return [*lines, f"{verdict}: {_line(reason)}{about}"]


def duration(seconds: float) -> str:
    """A time with two or three digits."""
    units = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))
    unit, scale = next((pair for pair in units if seconds >= pair[1]), units[-1])
    value = seconds / scale
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def times(ratio: float) -> str:
    """A ratio with two digits, or without a fraction above ten."""
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def shortly(count: int) -> str:
    """A number of elements in a few characters: 950, 12k, 1M."""
    for unit, scale in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= scale:
            return f"{count / scale:.3g}{unit}"
    return str(count)


def _timing(timing: Timing) -> dict[str, Any]:
    return asdict(timing) | {"speedup": timing.speedup, "calls_until_paid": timing.calls_until_paid}


def _line(text: str) -> str:
    """The text on one line, with control characters made visible."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
