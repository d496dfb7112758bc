"""Code that goes wrong under JAX, each with a clean twin: what is found, and that nothing is found in the twin."""

from pathlib import Path

import pytest

from np2jax.migrate.tracing.linter import JaxSource, chosen, findings

DATA = Path(__file__).parents[2] / "data" / "jax_snippets.txt"
IMPORTS = """import datetime
import logging
import math
import random
import time
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

"""


def snippets():
    """The title, the code that is wrong, and its clean twin."""
    for part in DATA.read_text().split("=== ")[1:]:
        title, _, text = part.partition("\n")
        wrong, _, clean = text.partition("--- clean\n")
        yield title, wrong, clean


def codes(text):
    found = findings([JaxSource("a.py", "a", False, (IMPORTS + text).encode())], chosen((), ()))
    return {diagnostic.code for diagnostic in found["a.py"]}


def test_there_are_a_hundred():
    assert len(list(snippets())) >= 100


@pytest.mark.parametrize(("title", "wrong", "clean"), [pytest.param(*each, id=each[0]) for each in snippets()])
def test_the_wrong_code_is_found_and_its_twin_is_clean(title, wrong, clean):
    compile(wrong, title, "exec")
    assert title.split()[0] in codes(wrong)
    assert codes(clean) == set()
