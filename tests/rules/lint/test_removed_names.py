"""The table of removed names, against the JAX that is installed."""

import importlib
import warnings

import jax
import pytest

from np2jax.migrate.tracing.linter import JaxSource, chosen, findings
from np2jax.rules.jax_table.removed_names import REMOVED, SECTIONS

INSTALLED = tuple(int(part) for part in jax.__version__.split(".")[:3])


def exists(dotted):
    """Whether JAX has a name."""
    parts = dotted.split(".")
    found = importlib.import_module(parts[0])
    for position, part in enumerate(parts[1:], 2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = getattr(found, part)
            except AttributeError:
                try:
                    found = importlib.import_module(".".join(parts[:position]))
                except ImportError:
                    return False
    return True


@pytest.mark.parametrize("name", REMOVED)
def test_a_removed_name_is_gone_and_what_replaces_it_exists(name):
    version = tuple(int(part) for part in REMOVED[name].version.split("."))
    if version <= INSTALLED:
        assert not exists(name)
    instead = REMOVED[name].instead
    if instead.startswith("jax.") and instead.replace(".", "").replace("_", "").isalnum():
        assert exists(instead)


@pytest.mark.parametrize(("target", "found"), [("", 1), ("0.5.3", 0), ("0.6", 1), ("0.6.0", 1), ("0.10.2", 1)])
def test_a_name_is_reported_from_the_version_that_lacks_it(target, found):
    assert REMOVED["jax.tree_map"].version == "0.6.0"
    source = JaxSource("a.py", "a", False, b"import jax\n\njax.tree_map(abs, [1])\n")
    assert len(findings([source], chosen(("NJ871",), ()), target=target)["a.py"]) == found


def test_the_target_comes_from_the_command_line_or_the_settings(np2jax, tree):
    tree({"a.py": "import jax\n\njax.tree_map(abs, [1])\n", "pyproject.toml": "[tool.np2jax]\ntarget-jax = '0.5'\n"})
    assert np2jax("lint", "a.py")[0] == 0
    assert np2jax("lint", "a.py", "--target-jax", "0.7.1")[0] == 1
    status, out, err = np2jax("lint", "a.py", "--target-jax", "new")
    assert (status, out, err) == (2, "", "np2jax: --target-jax must be a version such as 0.4.30, not 'new'\n")
    tree({"pyproject.toml": "[tool.np2jax]\ntarget-jax = 'new'\n"})
    assert np2jax("lint", "a.py")[2].endswith("`target-jax` in [tool.np2jax] must be a version such as 0.4.30, not 'new'\n")


def test_each_name_cites_the_change_log():
    compared = {name for name, row in REMOVED.items() if not row.link}
    assert compared == {
        "jax.core.ConcreteArray",
        "jax.experimental.mutable_array",
        "jax.sharding.PositionalSharding",
        "jax.spmd_mode",
    }
    assert {row.cited for row in REMOVED.values()} - {""} == set(SECTIONS)
    assert REMOVED["jax.tree_map"].link == "https://docs.jax.dev/en/latest/changelog.html#jax-0-6-0-april-16-2025"
    assert REMOVED["jax.numpy.fix"].link.endswith("#jax-0-9-0-january-20-2026")  # where it is deprecated
    assert REMOVED["jax.numpy.fix"].version == "0.10.0"
