"""A small engine for tests of what surrounds the engine: `np.sqrt` becomes `jnp.sqrt`, and functions that draw are kept."""

import os
import re
import sys
import zlib
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

from np2jax.migrate.project.outcome import Conversion, FileOutcome, FunctionOutcome
from np2jax.rules.core.diagnostic import Diagnostic

# The table says what the newest libraries do; these tests measure that, and fail where older ones did something else.
NEWEST = {
    "numpy": (
        (2, 4),
        (
            "test_parameters_are_those_of_numpy",
            "test_memory_is_shared_as_the_table_says",
            "test_every_view_of_ndarray_is_measured",
        ),
    ),
    "jax": ((0, 10, 2), ("test_jax_takes_the_arguments_as_the_entry_says[linalg.matrix_rank]",)),
}


# What XLA compiled is found again: by the other worker, after the caches of a file are emptied, and in the next run.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parents[1] / "build" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
# Python keeps what it compiled, too: each of the hundreds of processes that tests start would compile np2jax again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# XLA leaves out most of its optimisations, and writes loops itself rather than through MLIR: these tests compile much, and compute little.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
if tuple(map(int, version("jaxlib").split(".")[:2])) < (0, 11):  # later ones end where they do not know a flag
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")


def pytest_addoption(parser):
    parser.addoption("--share", default="1/1", help="k/n: of the tests that are one test with many parameters, part k of n")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark the products as slow, take a share of the tests with parameters, skip what is measured with newer libraries.

    CI takes another share for every commit of what is alike by the thousand: calls of the table, random programs. Of the slow tests
    without parameters it takes a tenth.
    """
    mark_products(items)
    mark_others_of_few(items)
    part, parts = map(int, config.getoption("--share").split("/"))
    many, long = [], []
    for item in items:
        if hasattr(item, "callspec"):
            many.append(item)
        elif item.get_closest_marker("slow"):
            (many if module_fixtures(item) else long).append(item)
    others = left_out(many, part, parts) | left_out(long, part, min(parts, 10))
    if others:
        config.hook.pytest_deselected(items=list(others))
        items[:] = [item for item in items if item not in others]
    for library, (since, names) in NEWEST.items():
        installed = version(library)
        if tuple(int(part) for part in installed.split(".")[:3]) < since:
            for item in items:
                if item.name.startswith(names):
                    item.add_marker(pytest.mark.skip(reason=f"measured with a newer {library} than {installed}"))


def left_out(items, part, parts):
    """All but each of `parts` tests; the tests of a file that share what a fixture makes, in minutes, count as one."""
    units = defaultdict(list)
    for item in items:
        made = module_fixtures(item)
        units[(item.path, *made) if made else item].append(item)
    return {item for place, unit in enumerate(units.values()) if place % parts != part % parts for item in unit}


def module_fixtures(item):
    """The fixtures of its file that a test uses, which are made once."""
    found = item._fixtureinfo.name2fixturedefs.items()
    return [name for name, fixtures in found if fixtures[-1].scope == "module" and name != "empty_caches"]


def mark_products(items):
    """Of a test with several `parametrize`, combinations that cover every value of each of them are quick, the others are slow."""
    functions = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and len(list(item.iter_markers("parametrize"))) > 1:
            functions[item.nodeid.partition("[")[0]].append(item)
    for combinations in functions.values():
        seen = set()
        quick = [item for item in combinations if not item.get_closest_marker("slow")]
        for item in sorted(quick, key=lambda item: zlib.crc32(item.nodeid.encode())):
            values = values_of(item)
            if not values - seen:
                item.add_marker(pytest.mark.slow)
            seen |= values


def mark_others_of_few(items):
    """Of a test with the mark `quick(n)`, n parameters from all over its list are quick, the others are slow."""
    functions = defaultdict(list)
    for item in items:
        if item.get_closest_marker("quick") and not item.get_closest_marker("slow"):
            functions[item.nodeid.partition("[")[0]].append(item)
    for alike in functions.values():
        count = alike[0].get_closest_marker("quick").args[0]
        kept = {position * len(alike) // count for position in range(count)}
        for position, item in enumerate(alike):
            if position not in kept:
                item.add_marker(pytest.mark.slow)


def values_of(item):
    """The values that a test takes from each of its `parametrize` marks."""
    values = set()
    for position, mark in enumerate(item.iter_markers("parametrize")):
        names = mark.args[0] if mark.args else mark.kwargs["argnames"]
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
        values.add((position, *(id(item.callspec.params[name]) for name in names)))
    return values


def small_engine(files, options):
    from np2jax.migrate.syntax.source import SourceError, parse

    outcomes, functions = [], []
    for file in files:
        try:
            parse(str(file.path), file.module, False, file.data)
        except SourceError as error:
            outcomes.append(FileOutcome(file.path, file.module, None, error=str(error)))
            continue
        diagnostics = []
        for number, line in enumerate(file.data.decode("utf-8", "replace").splitlines(), 1):
            if match := re.match(r"def (\w+)", line):
                name = f"{file.module}.{match[1]}"
                kept = dict(options.kept).get(name, "it draws random numbers" if "draw" in name else "")
                label, how = ("kept", "") if kept else ("proved", "eager" if name in options.unjitted else "jit")
                functions.append(FunctionOutcome(str(file.path), number, name, label, how, ("NJ101",), kept))
            for match in re.finditer(r"\bnp\.sqrt", line):
                where = (number, match.start() + 1, number, match.end() + 1)
                message = "`np.sqrt` is `jnp.sqrt` in JAX"
                diagnostics.append(Diagnostic(str(file.path), *where, "NJ101", message, "safe", True))
        data = re.sub(rb"\bnp\.sqrt", b"jnp.sqrt", file.data.replace(b"import numpy as np", b"import jax.numpy as jnp"))
        outcomes.append(FileOutcome(file.path, file.module, data if data != file.data else None, tuple(diagnostics)))
    return Conversion(tuple(outcomes), tuple(functions))


@pytest.fixture(autouse=True)
def same_precision():
    """What a test does to JAX's precision ends with it."""
    jax = sys.modules.get("jax")
    before = jax.config.jax_enable_x64 if jax else None
    yield
    if jax and jax.config.jax_enable_x64 != before:
        jax.config.update("jax_enable_x64", before)


@pytest.fixture(autouse=True, scope="module")
def empty_caches():
    """What JAX compiled for the tests of a file is of no use to the next one, and slows it down."""
    yield
    if jax := sys.modules.get("jax"):
        jax.clear_caches()


@pytest.fixture(autouse=True)
def no_cached_conversions(request):
    """A test that patches np2jax converts anew, and leaves nothing behind."""
    differential = sys.modules.get("np2jax.tests.helpers.differential")
    cached = differential.converted if differential and "monkeypatch" in request.fixturenames else None
    if cached:
        cached.cache_clear()
    yield
    if cached:
        cached.cache_clear()


@pytest.fixture
def sixty_four_bits():
    import jax

    jax.config.update("jax_enable_x64", True)


@pytest.fixture
def engine(monkeypatch):
    """Replace the engine by the small one; returns the list of its calls, as (files, options)."""
    calls = []

    def convert_files(files, options, observe=None, **known):
        calls.append((files, options))
        return small_engine(files, options)

    module = ModuleType("np2jax.migrate.project.pipeline")
    module.convert_files = convert_files
    monkeypatch.setitem(sys.modules, "np2jax.migrate.project.pipeline", module)
    return calls


@pytest.fixture
def np2jax(monkeypatch, tmp_path, capsys):
    """Runs the command line in `tmp_path`: (exit status, standard output, standard error)."""
    from np2jax.migrate.commands.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NP2JAX_CACHE_DIR", str(tmp_path / ".cache"))

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


@pytest.fixture
def tree(tmp_path):
    """Writes files below `tmp_path`: tree({"pkg/a.py": "text or bytes"}) -> tmp_path."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write
