"""`-o NAME.ipynb`: a converted copy of one notebook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..notebooks.contents import SUFFIX
from ..project.failure import Failure


def is_notebook(output: Path | None) -> bool:
    """Whether the output is a notebook rather than a folder."""
    return output is not None and output.suffix == SUFFIX and not output.is_dir()


def check_notebook(sources: Sequence[Path], output: Path, *, force: bool) -> None:
    """Raises Failure if `output` cannot be a converted copy: of several files, of no notebook, or in place of a file (unless `force`)."""
    if len(sources) != 1 or sources[0].suffix != SUFFIX or sources[0].is_dir():
        raise Failure(f"{output}: only one notebook can be converted into a notebook; name a folder for the output")
    if os.path.realpath(sources[0]) == os.path.realpath(output):
        raise Failure(f"{output}: is the notebook itself; without -o it is converted in place")
    if os.path.lexists(output) and not force:
        raise Failure(f"{output}: exists already; --allow-dirty replaces it")


def write_notebook(output: Path, content: bytes) -> None:
    """Write the notebook whole or not at all. Raises Failure if it cannot be written."""
    temporary = output.with_name(f".{output.name}.{os.getpid()}.np2jax-new")
    try:
        temporary.write_bytes(content)
        temporary.replace(output)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise Failure(f"{output}: cannot be written ({error.strerror})") from error
