"""The findings for each program of a project, by the contents of its files: a change in one program leaves the others known."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..project.outcome import Conversion, FileOutcome, Options, ProjectFile
from .lint_cache import diagnostics, identity, said, tool

ENTRIES = 5_000  # stored programs; the oldest are removed first


class ProgramCache(NamedTuple):
    """What conversions found, in JSON files in a folder. The code that they wrote is not kept."""

    folder: Path

    def recall(self, program: Sequence[ProjectFile], options: Options) -> Conversion | None:
        """None if nothing is known of the program, or the file is damaged."""
        try:
            outcomes, unread = json.loads(self._place(program, options).read_bytes())
            if len(outcomes) != sum(file.selected for file in program) or not all(isinstance(reason, str) for reason in unread):
                return None
            files = {str(file.path): file for file in program}
            return Conversion(tuple(_outcome(files[item["path"]], item) for item in outcomes), (), tuple(unread))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def keep(self, program: Sequence[ProjectFile], options: Options, conversion: Conversion) -> None:
        place = self._place(program, options)
        temporary = place.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps([[_plain(file) for file in conversion.files], conversion.unread]))
            temporary.replace(place)
            oldest_first = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for path in oldest_first[:-ENTRIES]:
                path.unlink()

    def _place(self, program: Sequence[ProjectFile], options: Options) -> Path:
        """The file for a program, named after all that its conversion depends on."""
        key = hashlib.blake2b(said(options).encode(), digest_size=16)
        for file in program:
            key.update(f"{identity(file)}\0{file.siblings}\0{file.selected}\0{file.public}\0".encode(errors="surrogateescape"))
            key.update(hashlib.blake2b(file.data).digest())
        key.update(tool())
        return self.folder / f"{key.hexdigest()}.json"


def _plain(outcome: FileOutcome) -> dict[str, Any]:
    return {
        "path": str(outcome.path),
        "module": outcome.module,
        "error": outcome.error,
        "diagnostics": [item._asdict() for item in outcome.diagnostics],
        "silenced": sorted(outcome.silenced),
    }


def _outcome(file: ProjectFile, item: dict[str, Any]) -> FileOutcome:
    """Raises for anything else than what `_plain` makes."""
    module, error = item["module"], item["error"]
    silenced = frozenset((line, code) for line, code in item["silenced"])
    if not all(isinstance(text, str) for text in (module, error, *(code for _line, code in silenced))):
        raise TypeError
    if not all(type(line) is int for line, _code in silenced):
        raise TypeError
    return FileOutcome(file.path, module, None, diagnostics(item["diagnostics"]), error=error, silenced=silenced)
