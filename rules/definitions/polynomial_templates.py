"""The templates of functions on series, in which {name}, {stem} and the like stand for one basis."""

from __future__ import annotations

FLOATING = '''
def _floating(values):
    """An array of floating point: numpy.polynomial computes with integers as with floats."""
    values = jnp.asarray(values)
    return values if jnp.issubdtype(values.dtype, jnp.inexact) else values.astype(float)
'''

TRIMMED = '''
def _trimmed(c):
    """A series without its trailing zeros. Its length depends on values: not under jit."""
    (nonzero,) = jnp.nonzero(c)
    return c[: nonzero[-1] + 1] if nonzero.size else c[:1]
'''

EVERY_OTHER = '''
def _sums_of_every_other(c):
    """The sum of each number along the last axis and of every second one after it."""
    length = c.shape[-1]
    half = (length + 1) // 2
    pairs = jnp.pad(c, [(0, 0)] * (c.ndim - 1) + [(0, 2 * half - length)]).reshape(*c.shape[:-1], half, 2)
    return jax.lax.cumsum(pairs, axis=c.ndim - 1, reverse=True).reshape(*c.shape[:-1], 2 * half)[..., :length]
'''

MAPPARMS = '''
def _mapparms(old, new):
    """Offset and scale of the line that maps one domain to another, as numpy.polynomial.polyutils.mapparms."""
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length
'''

GETDOMAIN = '''
def _getdomain(x):
    """The smallest domain with all points in it, as numpy.polynomial.polyutils.getdomain."""
    x = jnp.atleast_1d(_floating(x))
    if jnp.iscomplexobj(x):
        low, high = jax.lax.complex(x.real.min(), x.imag.min()), jax.lax.complex(x.real.max(), x.imag.max())
        return jnp.stack([low, high])
    return jnp.stack([x.min(), x.max()])
'''

MAPDOMAIN = '''
def _mapdomain(x, old, new):
    """Points of one domain mapped to another, as numpy.polynomial.polyutils.mapdomain."""
    offset, scale = _mapparms(old, new)
    return offset + scale * x
'''

POLYVAL = '''
def _polyval(x, c, tensor=True):
    """The power series with coefficients c at x, as numpy.polynomial.polynomial.polyval."""
    c = jnp.atleast_1d(_floating(c))
    if tensor:
        c = c.reshape(c.shape + (1,) * jnp.ndim(x))
    return jnp.polyval(c[::-1], x)
'''

POLYVALFROMROOTS = '''
def _polyvalfromroots(x, r, tensor=True):
    """The polynomial with the roots r at x, as numpy.polynomial.polynomial.polyvalfromroots."""
    r = jnp.atleast_1d(_floating(r))
    if tensor:
        r = r.reshape(r.shape + (1,) * jnp.ndim(x))
    return jnp.prod(x - r, axis=0)
'''

POLYVANDER = '''
def _polyvander(x, deg):
    """The powers of x from 0 to deg along a last axis, as numpy.polynomial.polynomial.polyvander."""
    return jnp.atleast_1d(_floating(x))[..., None] ** jnp.arange(deg + 1)
'''

VAL = '''
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

VANDER = '''
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

VALND = '''
def _{stem}valnd(pts, c):
    """The {name} series of several variables at pts, as numpy.polynomial.{module}.{stem}valnd."""
    c = _{stem}val(pts[0], c)
    for x in pts[1:]:
        c = _{stem}val(x, c, tensor=False)
    return c
'''

VANDER2D = '''
def _{stem}vander2d(x, y, deg):
    """The products of {name} polynomials at x and y along a last axis, as numpy.polynomial.{module}.{stem}vander2d."""
    of_x, of_y = _{stem}vander(x, deg[0]), _{stem}vander(y, deg[1])
    return (of_x[..., :, None] * of_y[..., None, :]).reshape(*of_x.shape[:-1], -1)
'''

VANDER3D = '''
def _{stem}vander3d(x, y, z, deg):
    """The products of {name} polynomials at x, y and z along a last axis, as numpy.polynomial.{module}.{stem}vander3d."""
    of_x, of_y, of_z = _{stem}vander(x, deg[0]), _{stem}vander(y, deg[1]), _{stem}vander(z, deg[2])
    products = of_x[..., :, None, None] * of_y[..., None, :, None] * of_z[..., None, None, :]
    return products.reshape(*of_x.shape[:-1], -1)
'''

DER = '''
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

INT = '''
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

FIT = '''
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

TIMES_X = '''
def _{stem}_times_x(c):
    """A {series} times x, as far as it has room for it."""
    n = jnp.arange(len(c)).astype(c.dtype)
    below, above = jnp.pad(c, (1, 0))[:-1], jnp.pad(c, (0, 1))[1:]
    return {times_x}
'''

FROMROOTS = '''
def _{stem}fromroots(roots):
    """The monic {series} with these roots, as numpy.polynomial.{module}.{stem}fromroots."""
    roots = jnp.asarray(roots) + jnp.zeros(1)  # in double precision, as in NumPy

    def step(c, root):
        return _{stem}_times_x(c) - root * c, None

    one = jnp.zeros(len(roots) + 1, roots.dtype).at[0].set(1)
    return jax.lax.scan(step, one, jnp.sort(roots))[0]
'''

POLY2 = '''
def _poly2{stem}(pol):
    """The {name} series of a power series, by Horner's method, as numpy.polynomial.{module}.poly2{stem}."""
    pol = _trimmed(jnp.asarray(pol) + jnp.zeros(1))  # in double precision, as in NumPy

    def step(c, coefficient):
        return _{stem}_times_x(c).at[0].add(coefficient), None

    return jax.lax.scan(step, jnp.zeros_like(pol), pol, reverse=True)[0]
'''

TO_POLY = '''
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

COMPANION = '''
def _{stem}companion(c):
    """The {scaled}companion matrix of a {series}, as numpy.polynomial.{module}.{stem}companion."""
    c = _trimmed(jnp.atleast_1d(_floating(c)))
    if len(c) < 2:
        raise ValueError("the series must have a degree of at least 1")
    n = jnp.arange(len(c) - 1).astype(c.dtype)
    {companion}
'''

ROOTS = '''
def _{stem}roots(c):
    """The roots of a {series}, as numpy.polynomial.{module}.{stem}roots: the eigenvalues of its companion matrix."""
    c = _trimmed(jnp.atleast_1d(_floating(c)))
    if len(c) < 2:
        return c[:0]
    roots = jnp.sort(jnp.linalg.eigvals(_{stem}companion(c)[::-1, ::-1]))
    return roots if jnp.iscomplexobj(c) or roots.imag.any() else roots.real
'''
