"""The fixes in code that is JAX already: a replacement for the text of a finding."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Mapping
from pathlib import Path

from ...rules.core.diagnostic import Diagnostic
from ..notebooks.cells import Place, line_at
from ..project.outcome import Conversion, FileOutcome


def replaced(conversion: Conversion, before: Mapping[Path, bytes], *, unsafe: bool) -> Conversion:
    """The files with the replacements that their findings carry: the safe ones, and the others if `unsafe`. `before`: their bytes."""
    return conversion._replace(files=tuple(_replaced(file, before[file.path], unsafe=unsafe) for file in conversion.files))


def _replaced(file: FileOutcome, data: bytes, *, unsafe: bool) -> FileOutcome:
    wanted = [item for item in file.diagnostics if item.replacement is not None and (unsafe or item.safety == "safe")]
    if file.error or not wanted:
        return file
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    lines = data.decode(encoding).splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text, done = "".join(lines), set[Diagnostic]()
    begins = len(text)
    for item in sorted(wanted, key=lambda item: (item.cell, item.line, item.column), reverse=True):
        number = line_at(text, Place(item.cell, item.line)) if item.cell else item.line
        first = starts[number - 1] + item.column - 1
        last = starts[number - 1 + item.end_line - item.line] + item.end_column - 1
        if last <= begins and item.replacement is not None:  # one that overlaps waits for the next run
            text, begins = text[:first] + item.replacement + text[last:], first
            done.add(item)
    marked = tuple(item._replace(fixed=True) if item in done else item for item in file.diagnostics)
    return file._replace(data=text.encode(encoding), diagnostics=marked)
