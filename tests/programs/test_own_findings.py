"""What the converter writes has no findings of the rules for JAX code, in whole programs and in the functions of the benchmarks."""

from pathlib import Path

import pytest

from np2jax.migrate.project.discovery import discover
from np2jax.migrate.project.outcome import Options
from np2jax.migrate.project.pipeline import convert_files
from np2jax.migrate.tracing.linter import JaxSource, chosen, findings

ROOT = Path(__file__).parents[2]
FOLDERS = [path for path in sorted((ROOT / "examples").iterdir()) if path.is_dir() or path.suffix == ".py"]
CORPORA = [path for name in ("planted", "untuned") for path in sorted((ROOT / "benchmarks" / name).glob("[!_]*.py"))]
# A program that seeds with a constant draws the same numbers in each call, and so does what is made of it.
SEEDS = ("NJ823", "NJ827")


def found_in_what_is_written(path):
    files = discover([path]).files
    done = convert_files(files, Options(strict=True, placement="device"))
    written = [
        JaxSource(str(file.path), file.module, file.path.name == "__init__.py", outcome.data)
        for file, outcome in zip(files, done.files, strict=True)
        if outcome.data is not None
    ]
    assert written
    return [diagnostic for each in findings(written, chosen((), SEEDS)).values() for diagnostic in each]


@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.stem)
def test_examples(path):
    assert found_in_what_is_written(path) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPORA, ids=lambda path: path.stem)
def test_benchmarks(path):
    assert found_in_what_is_written(path) == []
