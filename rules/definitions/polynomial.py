"""The functions of numpy.polynomial, written once for all its bases.

A basis is defined by the recurrence of its polynomials, p[n+1] = up(n) * p[n] - back(n) * p[n-1], which fills in the templates.
In edge cases (integers become floats, which axes are mapped) the functions behave as NumPy's.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .polynomial_templates import (
    COMPANION,
    DER,
    EVERY_OTHER,
    FIT,
    FLOATING,
    FROMROOTS,
    GETDOMAIN,
    INT,
    MAPDOMAIN,
    MAPPARMS,
    POLY2,
    POLYVAL,
    POLYVALFROMROOTS,
    POLYVANDER,
    ROOTS,
    TIMES_X,
    TO_POLY,
    TRIMMED,
    VAL,
    VALND,
    VANDER,
    VANDER2D,
    VANDER3D,
)

_EVERY = (VAL, VANDER, VALND, VANDER2D, VANDER3D, DER, INT, FIT, TIMES_X, FROMROOTS, POLY2, TO_POLY, COMPANION, ROOTS)
_OF_POWERS = (VALND, VANDER2D, VANDER3D, DER, INT, COMPANION, ROOTS)


class _Basis(NamedTuple):
    """The source fragments of one basis: its recurrence, and what follows from it."""

    module: str
    stem: str
    name: str
    derivative: str  # from `c`, the coefficients of degree 1 and above, and `n`, their degrees
    integral: str  # from `below` and `above`, the coefficients of the adjacent degrees, and `n`, the degrees from 1 on
    companion: str
    up: str = "x"  # p[n+1] = up(n) * p[n] - back(n) * p[n-1]
    up_shifted: str = "shifted"  # the same for coefficients of powers
    back: str = "n"
    back_next: str = "(n + 1)"
    back1: str = "1"
    p1: str = "x"
    before: str = "jnp.zeros_like(x)"  # p[-1]
    before_power: str = ""
    times_x: str = ""
    scaled: str = "scaled "
    vanished: str = "axis"  # the axis of the coefficients after too many derivatives

    @property
    def series(self) -> str:
        return f"{self.name} series"


_BESIDE = "jnp.diag(beside, 1) + jnp.diag(beside, -1)"


def _comrade(beside: str, last: str, scale: str, diagonal: str = "") -> str:
    """A matrix that is symmetric except for its last column."""
    lines = [
        *scale.splitlines(),
        f"beside = {beside}",
        f"return ({diagonal}{_BESIDE}).at[:, -1].add({last})",
    ]
    return "\n    ".join(lines)


BASES = (
    _Basis(
        "polynomial",
        "poly",
        "power",
        derivative="n * c",
        integral="below / n",
        companion="return jnp.diag(jnp.ones_like(n[1:]), -1).at[:, -1].add(-c[:-1] / c[-1])",
        scaled="",
    ),
    _Basis(
        "chebyshev",
        "cheb",
        "Chebyshev",
        up="2 * x",
        up_shifted="2 * shifted",
        back="1",
        back_next="1",
        before="x",
        before_power=".at[1].set(1)",
        times_x="(below.at[1:2].multiply(2) + above) / 2",
        derivative="_sums_of_every_other(2 * n * c).at[..., 0].divide(2)",
        integral="(below.at[..., 1].multiply(2) - above) / (2 * n)",
        companion=_comrade(
            "jnp.full_like(n[1:], 0.5).at[:1].set(0.5**0.5)",
            "-c[:-1] / c[-1] * scale / scale[-1] * (0.5 if len(n) > 1 else 1)",
            "scale = jnp.full_like(n, 0.5**0.5).at[0].set(1)",
        ),
    ),
    _Basis(
        "legendre",
        "leg",
        "Legendre",
        up="(2 * n + 1) / (n + 1) * x",
        up_shifted="(2 * n + 1) / (n + 1) * shifted",
        back="n / (n + 1)",
        back_next="(n + 1) / (n + 2)",
        back1="0.5",
        times_x="n / (2 * n - 1) * below + (n + 1) / (2 * n + 3) * above",
        derivative="(2 * n - 1) * _sums_of_every_other(c)",
        integral="below / (2 * n - 1) - above / (2 * n + 3)",
        companion=_comrade(
            "n[1:] * scale[:-1] * scale[1:]",
            "-c[:-1] / c[-1] * scale / scale[-1] * len(n) / (2 * len(n) - 1)",
            "scale = 1 / jnp.sqrt(2 * n + 1)",
        ),
    ),
    _Basis(
        "laguerre",
        "lag",
        "Laguerre",
        up="(2 * n + 1 - x) / (n + 1)",
        up_shifted="((2 * n + 1) * last - shifted) / (n + 1)",
        back="n / (n + 1)",
        back_next="(n + 1) / (n + 2)",
        back1="0.5",
        p1="(1 - x)",
        times_x="-n * below + (2 * n + 1) * c - (n + 1) * above",
        derivative="-jax.lax.cumsum(c, axis=c.ndim - 1, reverse=True)",
        integral="c[..., 1:-1] - below",
        companion=_comrade("-n[1:]", "c[:-1] / c[-1] * len(n)", "", "jnp.diag(2 * n + 1) + "),
    ),
    _Basis(
        "hermite",
        "herm",
        "Hermite",
        up="2 * x",
        up_shifted="2 * shifted",
        back="2 * n",
        back_next="2 * (n + 1)",
        back1="2",
        p1="2 * x",
        times_x="below / 2 + (n + 1) * above",
        derivative="2 * n * c",
        integral="below / (2 * n)",
        companion=_comrade(
            "jnp.sqrt(n[1:] / 2)",
            "-c[:-1] / c[-1] * scale / 2",
            "scale = jnp.cumprod(1 / jnp.sqrt(jnp.append(2 * n[1:], 1))[::-1])[::-1]",
        ),
    ),
    _Basis(
        "hermite_e",
        "herme",
        "HermiteE",
        vanished="0",
        times_x="below + (n + 1) * above",
        derivative="n * c",
        integral="below / n",
        companion=_comrade(
            "jnp.sqrt(n[1:])",
            "-c[:-1] / c[-1] * scale",
            "scale = jnp.cumprod(1 / jnp.sqrt(jnp.append(n[1:], 1))[::-1])[::-1]",
        ),
    ),
)


def _text(template: str, basis: _Basis) -> str:
    """A template with the fragments of a basis filled in."""
    for line, used in _LINES_OF_DEGREES.items():
        if not re.search(r"\bn\b", " ".join(getattr(basis, field) for field in used.split())):
            template = template.replace(line, _WITHOUT_DEGREES.get(line, ""))
    if "above" not in basis.integral:
        template = template.replace("        below, above = c[..., :-2], c[..., 2:]\n", "        below = c[..., :-2]\n")
    text = template
    for field in (*_Basis._fields, "series"):
        text = text.replace(f"{{{field}}}", getattr(basis, field))
    return text.replace(" 1 * ", " ").strip() + "\n"


# Lines that compute the degrees `n`, and the fragments of a basis of which at least one must use them.
_LINES_OF_DEGREES = {
    "        n, coefficient = term\n": "up back_next",
    "    def step(sums, term):": "up back_next",
    "    n = jnp.arange(1, len(c)).astype(zero.dtype)\n": "up back_next",
    "(zero, zero), (n, c[1:])": "up back_next",
    "    def step(terms, n):\n        last, before = terms\n        return ({up} ": "up back",
    "    n = jnp.arange(deg + 1).astype(x.dtype)\n": "up back",
    "{before}), n)": "up back",
    "        n = jnp.arange(1, c.shape[-1] + 1)\n": "derivative",
    "        n = jnp.arange(c.shape[-1] + 1).at[0].set(1)\n": "integral",
    "    n = jnp.arange(len(c)).astype(c.dtype)\n    below": "times_x",
    "    def step(terms, n):\n        last, before = terms\n        shifted": "up_shifted back",
    "jnp.arange(len(c)).astype(c.dtype))\n    return c @": "up_shifted back",
}
_WITHOUT_DEGREES = {
    "    def step(sums, term):": "    def step(sums, coefficient):",
    "(zero, zero), (n, c[1:])": "(zero, zero), c[1:]",
    "    def step(terms, n):\n        last, before = terms\n        return ({up} ": "    def step(terms, _):\n        last, before = terms\n        return ({up} ",
    "{before}), n)": "{before}), length=deg + 1)",
    "    n = jnp.arange(len(c)).astype(c.dtype)\n    below": "    below",
    "    def step(terms, n):\n        last, before = terms\n        shifted": "    def step(terms, _):\n        last, before = terms\n        shifted",
    "jnp.arange(len(c)).astype(c.dtype))\n    return c @": "length=len(c))\n    return c @",
}


def _named(source: str) -> tuple[str, str]:
    return source.split("def ", 1)[1].split("(", 1)[0], source.strip() + "\n"


SOURCES: dict[str, str] = dict(
    _named(source)
    for source in (
        *(FLOATING, TRIMMED, EVERY_OTHER, MAPPARMS, GETDOMAIN, MAPDOMAIN, POLYVAL, POLYVALFROMROOTS, POLYVANDER),
        *(_text(template, basis) for basis in BASES for template in (_OF_POWERS if basis.stem == "poly" else _EVERY)),
    )
)
