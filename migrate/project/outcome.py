"""What a conversion hands to the command line, the reports and `verify`: plain data, no syntax."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ...rules.core.diagnostic import Diagnostic


class ProjectFile(NamedTuple):
    """One Python file of the project: where it is, its module name ("pkg.mod"; "pkg" for pkg/__init__.py), its bytes.

    `siblings`: what scripts of its folder import by other names than the project has for them ("util" for "one.util").
    """

    path: Path
    module: str
    data: bytes
    siblings: tuple[tuple[str, str], ...] = ()


class Options(NamedTuple):
    """What the user chose. `kept` maps qualified names of functions to the reason to keep them (from `verify`)."""

    precision: str = "float64"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe: bool = False
    jobs: int = 1
    public: frozenset[str] = frozenset()  # functions whose signature and results must stay as they are
    kept: tuple[tuple[str, str], ...] = ()
    strict: bool = False  # let an error of np2jax's own raise
    unjitted: frozenset[str] = frozenset()  # functions that must not be jitted (from `verify`)
    random: str = "keys"  # "host": NumPy's generators draw on the host
    trip_counts: str = "dynamic"  # "static": trip counts that come from arguments are static arguments of jit


class FunctionOutcome(NamedTuple):
    """The fate of one function that uses NumPy (or is reached by what does).

    `label`: proved, checked, guessed or kept. `transform`: what was done, e.g. "jit", "eager", "vmap", "" when kept.
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


class FileOutcome(NamedTuple):
    """One file: its new bytes, or None when nothing changes; what was said; why it could not be read, if it could not."""

    path: Path
    module: str
    data: bytes | None
    diagnostics: tuple[Diagnostic, ...] = ()
    error: str = ""


class Conversion(NamedTuple):
    """The whole project, converted in memory."""

    files: tuple[FileOutcome, ...]
    functions: tuple[FunctionOutcome, ...] = ()
