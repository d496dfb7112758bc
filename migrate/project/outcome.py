"""The result of a conversion for the command line, the reports and `verify`: plain data, no syntax."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ...rules.core.condition import Condition
from ...rules.core.diagnostic import Diagnostic
from ...rules.facts.recorded_calls import RecordedCalls


class ProjectFile(NamedTuple):
    """One Python file of the project: its path, its module name ("pkg.mod"; "pkg" for pkg/__init__.py), its bytes.

    `siblings`: the names by which scripts import modules of its folder, if the project has other names ("util" for "one.util").
    `selected`: the user asked for it. Other files of the project are read for what they call and define; they are never written.
    `ignored`: rules that do not apply to this file: codes, or families of codes. `notebook`: the content of the file if it is a
    notebook, whose code cells are the `data`. `error`: why the cells could not be read. `public`: functions in it that its magics
    may call.
    """

    path: Path
    module: str
    data: bytes
    siblings: tuple[tuple[str, str], ...] = ()
    selected: bool = True
    ignored: tuple[str, ...] = ()
    notebook: bytes = b""
    error: str = ""
    public: tuple[str, ...] = ()


class RuleChoice(NamedTuple):
    """The rules that the settings, or the command line, choose: codes, or families of codes, as the user wrote them."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class Options(NamedTuple):
    """The user's options. `select`, `ignore`, `extend`: codes that `rule_selection.resolve` makes of `choices`; without `select`, the
    rules that are on by default run, and those in `extend`. `kept` maps qualified names of functions to the reason for leaving them as NumPy (from `verify`)."""

    precision: str = "float64"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe: bool = False
    jobs: int = 1
    public: frozenset[str] = frozenset()  # functions whose signature and results must not change
    kept: tuple[tuple[str, str], ...] = ()
    strict: bool = False  # do not catch internal errors of np2jax
    unjitted: frozenset[str] = frozenset()  # functions that must not be jitted (from `verify`)
    random: str = "keys"  # "host": NumPy's generators draw on the host
    trip_counts: str = "dynamic"  # "static": trip counts that depend on arguments make these static arguments of jit
    recorded: tuple[RecordedCalls, ...] = ()  # from an evidence file
    slower: tuple[tuple[str, str], ...] = ()  # functions that were measured to be slower when compiled, and the times
    placement: str = "device"  # "fast": what is not compiled stays NumPy (the default of `np2jax convert`)
    choices: tuple[RuleChoice, ...] = ()  # of the settings, then of the command line
    extend: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()  # patterns, with codes
    target_jax: str = ""  # the version of JAX that the code is for, "" for the newest
    writes: bool = True  # False: only the findings are asked for, not the code nor what is said of its functions


class FunctionOutcome(NamedTuple):
    """The outcome for one function that uses NumPy (or that such code reaches).

    `label`: proved (equal to NumPy for every input for which NumPy does not raise, but for rounding), assumed (if the `conditions`
    hold), checked (both versions agreed), refuted (they did not), host or kept. `transform`: how it was converted, e.g. "jit",
    "eager", "outlined", "both"; "" if it was not.
    `returns`, `results`, `static`, `kinds`: the contract, for `verify` (see FunctionPlan); kinds by parameter name.
    """

    file: str
    line: int
    name: str  # qualified: "pkg.mod.Class.method"
    label: str
    transform: str
    codes: tuple[str, ...]
    reason: str
    returns: tuple[str, ...] = ()
    results: int = 1
    static: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    uses_numpy: bool = True
    params: tuple[str, ...] = ()
    already: tuple[tuple[str, int], ...] = ()
    cause: str = ""  # the function that it calls, maybe through others, and for whose sake it stays NumPy
    conditions: tuple[Condition, ...] = ()  # under which its converted code equals NumPy


class FileOutcome(NamedTuple):
    """One file: its new bytes, or None if nothing changes; its diagnostics; the reason if it could not be read."""

    path: Path
    module: str
    data: bytes | None
    diagnostics: tuple[Diagnostic, ...] = ()
    error: str = ""
    silenced: frozenset[tuple[int, str]] = frozenset()  # lines and codes of changes that a comment prevents
    unused: tuple[Diagnostic, ...] = ()  # comments that silence nothing in this conversion


class Conversion(NamedTuple):
    """The whole project, converted in memory."""

    files: tuple[FileOutcome, ...]
    functions: tuple[FunctionOutcome, ...] = ()
    unread: tuple[str, ...] = ()  # why other files of the project could not be read: what they call is not known
