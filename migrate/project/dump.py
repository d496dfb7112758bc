"""What `--dump-after` prints: the code or the facts after a pass, and how often each unit was parsed and interpreted."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .pass_manager import PassManager
from .passes import BY_NAME, NAMES, STATISTICS
from .workers import Workers


class Dumps:
    """Collects the state after each of the named passes. If a pass runs several times, the last run counts."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names
        self.found: dict[str, Mapping[str, str]] = {}

    def observe(self, manager: PassManager, name: str) -> None:
        if name not in self.names:
            return
        files = dict(manager.shards.dump(BY_NAME[name].shows, manager.facts))
        names = manager.shards.names()
        files = {path: text for path, text in files.items() if manager.summaries[names[path]].text.selected}
        if name == "rewrite":
            rewritten = {path: manager.rewritten[module].data for path, module in names.items()}
            files |= {path: data.decode(errors="replace") for path, data in rewritten.items() if data is not None}
        self.found[name] = {**self.found.get(name, {}), **files}

    def count(self, shards: Workers) -> None:
        """Collect how often the units of a program were parsed and interpreted."""
        if STATISTICS in self.names:
            self.found[STATISTICS] = {**self.found.get(STATISTICS, {}), **statistics(shards)}

    def text(self) -> str:
        """All collected states, in the order of the passes."""
        parts = [
            f"# after {name}: {path}\n{text.rstrip()}\n"
            for name in NAMES
            for path, text in sorted(self.found.get(name, {}).items())
        ]
        return "\n".join(parts)


def statistics(shards: Workers) -> Mapping[str, str]:
    """How often each unit was parsed and interpreted, by file."""
    return {
        path: "\n".join(f"{name}: parsed {parsed}, interpreted {interpreted}" for name, (parsed, interpreted) in counts.items())
        for path, counts in shards.counts().items()
    }
