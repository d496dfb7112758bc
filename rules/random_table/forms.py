"""Shorthand for entries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..facts.draw import Draw, Form

OTHERS = ("size", "dtype", "out", "method", "axis", "endpoint")  # parameters that are not those of a distribution


def draw(*written: str | tuple[str, Mapping[str, str]], vectors: str = "", **fields: Any) -> Draw:
    """A draw from its forms, each a template or (template, when), and NumPy's parameters, last: "loc=0.0 scale=1.0 size=None"."""
    *forms, signature = written
    assert isinstance(signature, str)
    made = tuple(Form(form) if isinstance(form, str) else Form(*form) for form in forms)
    params, defaults = parameters(signature)
    fields.setdefault("vectors", tuple(vectors.split()))
    others = {*OTHERS, *fields["vectors"], *fields.get("ignored", ()), *fields.get("scalars", ()), *fields.get("static", ())}
    fields.setdefault("arrays", tuple(p for p in params if p not in others and not p.startswith("*")))
    fields.setdefault("keys", tuple(dict.fromkeys(re.findall(r"{(\w+)_key}", " ".join(form.template for form in made)))))
    return Draw(params, made, defaults, **fields)


def parameters(signature: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The parameters in order, and their defaults as source."""
    pairs = [part.partition("=") for part in signature.split()]
    return tuple(name for name, _, _ in pairs), {name: default for name, equals, default in pairs if equals}


def in_range(*parameters: str) -> str:
    """The note on parameters whose sign NumPy checks."""
    names = " and ".join(f"`{p}`" for p in parameters)
    return f"NumPy raises ValueError for {names} out of range; JAX gives NaN or other numbers"
