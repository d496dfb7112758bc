"""Arrays that reach a function in two ways: as an argument, and as an attribute or a module variable that it uses itself.

In NumPy, a change is visible both ways at once; in JAX, the new array replaces the argument only after the call.
"""

from __future__ import annotations

from collections.abc import Collection

from ....rules.core.findings import Kind
from ....rules.facts.values import Value
from ..state.interpreter_state import Run
from ..state.lattice import Env, parameters_in
from ..state.project_facts import FunctionFact

PATHS = ("attr:", "global:")
NO_ARRAY = (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.FUNCTION, Kind.CLASS, Kind.MODULE)
OF_UNKNOWN = "attr:?."  # an attribute of an object whose class is not known


def conflict(run: Run, env: Env, fact: FunctionFact, parameter: str, value: Value) -> str:
    """Why a function must be left as NumPy because this value is passed for a parameter; "" if it need not be."""
    if value.kind in NO_ARRAY:
        return ""
    here = _paths(run, env, value)
    short = fact.name.rpartition(".")[2]
    if parameter in fact.mutates and (way := _met(here, fact.reads)):
        return f"`{short}` changes `{parameter}`, and a call passes `{way}`, which it reads, too"
    if way := _met(here, {token for token, read in fact.read_later if read == parameter}):
        return f"`{short}` reads `{parameter}` after it changed `{way}`, which a call passes for `{parameter}`"
    return ""


def _paths(run: Run, env: Env, value: Value) -> frozenset[str]:
    """The attributes and the module variables through which others reach an array."""
    found = {m for m in value.memory if m.startswith(PATHS)}
    if run.name.endswith(".<module>"):
        names = (n for n, current in env.items() if n.isidentifier() and current.memory & value.memory)
        found |= {f"global:{run.source.name}.{name}" for name in names}
    return frozenset(found)


def _met(paths: Collection[str], used: Collection[str]) -> str:
    for path in sorted(paths):
        last = path.rpartition(".")[2]
        if path in used or (path.startswith("attr:") and OF_UNKNOWN + last in used):
            return last
    return ""


def note_changed(run: Run, tokens: Collection[str], read: Collection[str]) -> None:
    """Record attributes whose arrays are changed before the memory in `read` is read: see `FunctionFact.read_later`."""
    paths = [t for t in tokens if t.startswith(PATHS)]
    run.effects.read_later |= {(t, p) for t in paths for p in parameters_in(read)}
