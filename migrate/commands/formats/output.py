"""Where findings are printed: standard output, or a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ...project.failure import Failure


def check_writable(path: Path | None) -> None:
    """Raises Failure if a file cannot be written, before anything else is done."""
    if path is None:
        return
    if path.is_dir():
        raise Failure(f"{path}: cannot be written, as it is a folder")
    if not path.absolute().parent.is_dir():
        raise Failure(f"{path}: no such folder as {path.parent}")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise Failure(f"{path}: cannot be written (Permission denied)")


def write(text: str, path: Path | None, *, err: bool = False) -> None:
    """Print a text, or write it into a file without colours. Raises Failure if the file cannot be written."""
    end = "\n" if text else ""
    if path is None:
        encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding) + end, nl=False, err=err)
        return
    try:
        path.write_bytes((click.unstyle(text) + end).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise Failure(f"{path}: cannot be written ({error.strerror})") from error


def print_source(data: bytes) -> None:
    """Print the content of a file, byte for byte."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
