"""Options with which one function alone is converted: what it calls must be, too, and the rest of its file stays as it is."""

from __future__ import annotations

from pathlib import Path

from ..linking.reachability import reached_by_calls
from ..summaries.units import written_name
from . import garbage_collection
from .discovery import Project
from .failure import Failure
from .import_names import uniquely_named, with_siblings
from .outcome import Options
from .pipeline import pass_manager
from .workers import started

REASON = "only another function is converted"


def with_function_only(project: Project, options: Options, path: Path, name: str) -> Options:
    """The options that keep all functions as NumPy but the one called `name` in a file ("f", "C.method") and those that it calls.

    Raises Failure if there is no such function.
    """
    files = with_siblings(uniquely_named(project.every))
    with garbage_collection.paused(), started(files, 1) as shards:
        manager = pass_manager(files, options, shards)
        manager.require("resolved")
        units = {unit.name: unit for module in manager.summaries.values() for unit in module.units}
    modules = {file.path: file.module for file in files}
    asked = [unit for unit in units if written_name(unit) == f"{modules[path]}.{name}"]
    if not asked:
        raise Failure(f"{path}: has no function {name}")
    wanted = reached_by_calls(asked, units)
    return options._replace(kept=tuple((unit, REASON) for unit in units if unit not in wanted))
