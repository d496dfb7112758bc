"""The table of removed names, against the JAX that is installed."""

import importlib
import warnings

import jax
import pytest

from np2jax.rules.jax_table.removed_names import REMOVED

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
