"""The functions of numpy.polynomial, written once for all its bases.

A basis is known by the recurrence of its polynomials, p[n+1] = up(n) * p[n] - back(n) * p[n-1], in the texts that are filled in below.
What the functions do at the edges (integers become floats, which axes are mapped) is as in NumPy's.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FLOATING = '''
def _floating(values):
    """An array of floating point: numpy.polynomial computes with integers as with floats."""
    values = jnp.asarray(values)
    return values if jnp.issubdtype(values.dtype, jnp.inexact) else values.astype(float)
'''

_TRIMMED = '''
def _trimmed(c):
    """A series without its trailing zeros. Its length depends on values: not under jit."""
    (nonzero,) = jnp.nonzero(c)
    return c[: nonzero[-1] + 1] if nonzero.size else c[:1]
'''

_EVERY_OTHER = '''
def _sums_of_every_other(c):
    """The sum of each number along the last axis and of every second one after it."""
    length = c.shape[-1]
    half = (length + 1) // 2
    pairs = jnp.pad(c, [(0, 0)] * (c.ndim - 1) + [(0, 2 * half - length)]).reshape(*c.shape[:-1], half, 2)
    return jax.lax.cumsum(pairs, axis=c.ndim - 1, reverse=True).reshape(*c.shape[:-1], 2 * half)[..., :length]
'''

_MAPPARMS = '''
def _mapparms(old, new):
    """Offset and scale of the line that maps one domain to another, as numpy.polynomial.polyutils.mapparms."""
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length
'''

_GETDOMAIN = '''
def _getdomain(x):
    """The smallest domain with all points in it, as numpy.polynomial.polyutils.getdomain."""
    x = jnp.atleast_1d(_floating(x))
    if jnp.iscomplexobj(x):
        low, high = jax.lax.complex(x.real.min(), x.imag.min()), jax.lax.complex(x.real.max(), x.imag.max())
        return jnp.stack([low, high])
    return jnp.stack([x.min(), x.max()])
'''

_MAPDOMAIN = '''
def _mapdomain(x, old, new):
    """Points of one domain mapped to another, as numpy.polynomial.polyutils.mapdomain."""
    offset, scale = _mapparms(old, new)
    return offset + scale * x
'''

_POLYVAL = '''
def _polyval(x, c, tensor=True):
    """The power series with coefficients c at x, as numpy.polynomial.polynomial.polyval."""
    c = jnp.atleast_1d(_floating(c))
    if tensor:
        c = c.reshape(c.shape + (1,) * jnp.ndim(x))
    return jnp.polyval(c[::-1], x)
'''

_POLYVALFROMROOTS = '''
def _polyvalfromroots(x, r, tensor=True):
    """The polynomial with the roots r at x, as numpy.polynomial.polynomial.polyvalfromroots."""
    r = jnp.atleast_1d(_floating(r))
    if tensor:
        r = r.reshape(r.shape + (1,) * jnp.ndim(x))
    return jnp.prod(x - r, axis=0)
'''

_POLYVANDER = '''
def _polyvander(x, deg):
    """The powers of x from 0 to deg along a last axis, as numpy.polynomial.polynomial.polyvander."""
    return jnp.atleast_1d(_floating(x))[..., None] ** jnp.arange(deg + 1)
'''

_VAL = '''
def _{stem}val(x, c, tensor=True):
    """The {name} series with coefficients c at x, as numpy.polynomial.{module}.{stem}val.

    By the recurrence of C. W. Clenshaw, A note on the summation of Chebyshev series, MTAC 9 (1955).
    """
    c = jnp.atleast_1d(_floating(c))
    if tensor:
        c = c.reshape(c.shape + (1,) * jnp.ndim(x))
    zero = jnp.zeros_like(c[0] * x)

    def step(sums, term):
        n, coefficient = term
        return (coefficient + {up} * sums[0] - {back_next} * sums[1], sums[0]), None

    n = jnp.arange(1, len(c)).astype(zero.dtype)
    (first, second), _ = jax.lax.scan(step, (zero, zero), (n, c[1:]), reverse=True)
    return c[0] + {p1} * first - {back1} * second
'''

_VANDER = '''
def _{stem}vander(x, deg):
    """The {name} polynomials of degrees 0 to deg at x along a last axis, as numpy.polynomial.{module}.{stem}vander."""
    x = jnp.atleast_1d(_floating(x))

    def step(terms, n):
        last, before = terms
        return ({up} * last - {back} * before, last), last

    n = jnp.arange(deg + 1).astype(x.dtype)
    _, terms = jax.lax.scan(step, (x * 0 + 1, {before}), n)
    return jnp.moveaxis(terms, 0, -1)
'''

_VALND = '''
def _{stem}valnd(pts, c):
    """The {name} series of several variables at pts, as numpy.polynomial.{module}.{stem}valnd."""
    c = _{stem}val(pts[0], c)
    for x in pts[1:]:
        c = _{stem}val(x, c, tensor=False)
    return c
'''

_VANDER2D = '''
def _{stem}vander2d(x, y, deg):
    """The products of {name} polynomials at x and y along a last axis, as numpy.polynomial.{module}.{stem}vander2d."""
    of_x, of_y = _{stem}vander(x, deg[0]), _{stem}vander(y, deg[1])
    return (of_x[..., :, None] * of_y[..., None, :]).reshape(*of_x.shape[:-1], -1)
'''

_VANDER3D = '''
def _{stem}vander3d(x, y, z, deg):
    """The products of {name} polynomials at x, y and z along a last axis, as numpy.polynomial.{module}.{stem}vander3d."""
    of_x, of_y, of_z = _{stem}vander(x, deg[0]), _{stem}vander(y, deg[1]), _{stem}vander(z, deg[2])
    products = of_x[..., :, None, None] * of_y[..., None, :, None] * of_z[..., None, None, :]
    return products.reshape(*of_x.shape[:-1], -1)
'''

_DER = '''
def _{stem}der(c, m=1, scl=1, axis=0):
    """The m-th derivative of a {series}, as numpy.polynomial.{module}.{stem}der."""
    c = jnp.moveaxis(jnp.atleast_1d(_floating(c)), axis, -1)
    if m >= c.shape[-1]:
        return jnp.moveaxis(c[..., :1] * 0, -1, {vanished})
    for _ in range(m):
        c = scl * c[..., 1:]
        n = jnp.arange(1, c.shape[-1] + 1)
        c = {derivative}
    return jnp.moveaxis(c, -1, axis)
'''

_INT = '''
def _{stem}int(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The m-th integral of a {series}, as numpy.polynomial.{module}.{stem}int."""
    c = jnp.moveaxis(jnp.atleast_1d(_floating(c)), axis, -1)
    k = jnp.atleast_1d(jnp.asarray(k, c.dtype))
    for i in range(m):
        constant = k[i] if i < len(k) else 0
        if c.shape[-1] == 1 and not c.any():  # NumPy gives one number for this one: not under jit
            c = c + constant
            continue
        n = jnp.arange(c.shape[-1] + 1).at[0].set(1)
        c = jnp.pad(scl * c, [(0, 0)] * (c.ndim - 1) + [(1, 2)])
        below, above = c[..., :-2], c[..., 2:]
        c = ({integral}).at[..., 0].set(0)
        c = c.at[..., 0].set(constant - _{stem}val(lbnd, c.T).T)
    return jnp.moveaxis(c, -1, axis)
'''

_FIT = '''
def _{stem}fit(x, y, deg, rcond=None, w=None):
    """The {series} of degree deg that is nearest to y at x, by least squares, as numpy.polynomial.{module}.{stem}fit."""
    x, y = _floating(x), _floating(y)
    degrees = jnp.array(sorted(deg) if isinstance(deg, (list, tuple)) else range(deg + 1))
    highest = max(deg) if isinstance(deg, (list, tuple)) else deg
    columns = _{stem}vander(x, highest)[:, degrees]
    if w is not None:
        columns, y = columns * _floating(w)[:, None], (y.T * _floating(w)).T
    lengths = jnp.sqrt(jnp.sum(jnp.abs(columns) ** 2, axis=0))
    lengths = jnp.where(lengths == 0, 1, lengths)
    rcond = len(x) * jnp.finfo(x.dtype).eps if rcond is None else rcond
    c, *_ = jnp.linalg.lstsq(columns / lengths, y, rcond)
    c = (c.T / lengths).T
    return jnp.zeros((highest + 1, *c.shape[1:]), c.dtype).at[degrees].set(c)
'''

_TIMES_X = '''
def _{stem}_times_x(c):
    """A {series} times x, as far as it has room for it."""
    n = jnp.arange(len(c)).astype(c.dtype)
    below, above = jnp.pad(c, (1, 0))[:-1], jnp.pad(c, (0, 1))[1:]
    return {times_x}
'''

_FROMROOTS = '''
def _{stem}fromroots(roots):
    """The monic {series} with these roots, as numpy.polynomial.{module}.{stem}fromroots."""
    roots = jnp.asarray(roots) + jnp.zeros(1)  # in double precision, as in NumPy

    def step(c, root):
        return _{stem}_times_x(c) - root * c, None

    one = jnp.zeros(len(roots) + 1, roots.dtype).at[0].set(1)
    return jax.lax.scan(step, one, jnp.sort(roots))[0]
'''

_POLY2 = '''
def _poly2{stem}(pol):
    """The {name} series of a power series, by Horner's method, as numpy.polynomial.{module}.poly2{stem}."""
    pol = _trimmed(jnp.asarray(pol) + jnp.zeros(1))  # in double precision, as in NumPy

    def step(c, coefficient):
        return _{stem}_times_x(c).at[0].add(coefficient), None

    return jax.lax.scan(step, jnp.zeros_like(pol), pol, reverse=True)[0]
'''

_2POLY = '''
def _{stem}2poly(c):
    """The power series of a {name} series, as numpy.polynomial.{module}.{stem}2poly."""
    c = _trimmed(jnp.atleast_1d(_floating(c)))

    def step(terms, n):
        last, before = terms
        shifted = jnp.roll(last, 1).at[0].set(0)
        return ({up_shifted} - {back} * before, last), last

    zero = jnp.zeros_like(c)
    _, powers = jax.lax.scan(step, (zero.at[0].set(1), zero{before_power}), jnp.arange(len(c)).astype(c.dtype))
    return c @ powers
'''

_COMPANION = '''
def _{stem}companion(c):
    """The {scaled}companion matrix of a {series}, as numpy.polynomial.{module}.{stem}companion."""
    c = _trimmed(jnp.atleast_1d(_floating(c)))
    if len(c) < 2:
        raise ValueError("the series must have a degree of at least 1")
    n = jnp.arange(len(c) - 1).astype(c.dtype)
    {companion}
'''

_ROOTS = '''
def _{stem}roots(c):
    """The roots of a {series}, as numpy.polynomial.{module}.{stem}roots: the eigenvalues of its companion matrix."""
    c = _trimmed(jnp.atleast_1d(_floating(c)))
    if len(c) < 2:
        return c[:0]
    roots = jnp.sort(jnp.linalg.eigvals(_{stem}companion(c)[::-1, ::-1]))
    return roots if jnp.iscomplexobj(c) or roots.imag.any() else roots.real
'''

_EVERY = (_VAL, _VANDER, _VALND, _VANDER2D, _VANDER3D, _DER, _INT, _FIT, _TIMES_X, _FROMROOTS, _POLY2, _2POLY, _COMPANION, _ROOTS)
_OF_POWERS = (_VALND, _VANDER2D, _VANDER3D, _DER, _INT, _COMPANION, _ROOTS)


class _Basis(NamedTuple):
    """The texts of one basis: its recurrence, and what follows from it."""

    module: str
    stem: str
    name: str
    derivative: str  # of `c`, the coefficients from the first on, and `n`, their degrees
    integral: str  # of `below` and `above`, the coefficients beside each, and `n`, the degrees from 1 on
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
    vanished: str = "axis"  # where the axis of the coefficients is after too many derivatives

    @property
    def series(self) -> str:
        return f"{self.name} series"


_BESIDE = "jnp.diag(beside, 1) + jnp.diag(beside, -1)"


def _comrade(beside: str, last: str, scale: str, diagonal: str = "") -> str:
    """A symmetric matrix but for its last column."""
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
    """A template with the texts of a basis."""
    for line, used in _LINES_OF_DEGREES.items():
        if not re.search(r"\bn\b", " ".join(getattr(basis, field) for field in used.split())):
            template = template.replace(line, _WITHOUT_DEGREES.get(line, ""))
    if "above" not in basis.integral:
        template = template.replace("        below, above = c[..., :-2], c[..., 2:]\n", "        below = c[..., :-2]\n")
    text = template
    for field in (*_Basis._fields, "series"):
        text = text.replace(f"{{{field}}}", getattr(basis, field))
    return text.replace(" 1 * ", " ").strip() + "\n"


# Lines that make the degrees `n`, and the texts of a basis of which one must use them.
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
        *(_FLOATING, _TRIMMED, _EVERY_OTHER, _MAPPARMS, _GETDOMAIN, _MAPDOMAIN, _POLYVAL, _POLYVALFROMROOTS, _POLYVANDER),
        *(_text(template, basis) for basis in BASES for template in (_OF_POWERS if basis.stem == "poly" else _EVERY)),
    )
)
