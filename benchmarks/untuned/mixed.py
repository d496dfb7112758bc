"""Arrays from SciPy, small functions called often, rows in lists, and results that are changed in place."""

import numpy as np
from scipy.signal import convolve
from scipy.spatial.distance import cdist

CACHE = {}


def kriging(where, values, at, length):
    """Interpolation with a Gaussian covariance."""
    near = np.exp(-((cdist(where, where) / length) ** 2)) + 1e-8 * np.eye(len(where))
    return np.exp(-((cdist(at, where) / length) ** 2)) @ np.linalg.solve(near, values)


def envelope(signal, width):
    """A smooth envelope."""
    window = np.hanning(width)
    smooth = convolve(np.abs(signal), window / window.sum(), mode="same")
    level = np.maximum(smooth, 1e-9)
    return np.sqrt(level) * np.sign(signal) + np.log1p(level) - np.tanh(signal / level)


def separation(a, b):
    """The angle between two points on the sphere."""
    half = np.sin((b[0] - a[0]) / 2) ** 2 + np.cos(a[0]) * np.cos(b[0]) * np.sin((b[1] - a[1]) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(half))


def longest(points):
    """The two points that are farthest from each other."""
    best, pair = 0.0, (0, 0)
    for i in range(len(points)):
        for j in range(i):
            d = separation(points[i], points[j])
            if d > best:
                best, pair = d, (i, j)
    return best, np.array(pair)


def lorenz(start, steps, dt=0.01):
    """The path, a list of rows."""
    rows = [np.asarray(start, dtype=float)]
    for _ in range(steps):
        x, y, z = rows[-1]
        rows.append(rows[-1] + dt * np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]))
    return np.array(rows)


def spectrum(x):
    """A radix-2 transform that calls itself."""
    n = len(x)
    if n & (n - 1):
        raise ValueError("the length must be a power of two, not %d" % n)
    if n == 1:
        return x.astype(complex)
    even, odd = spectrum(x[::2]), spectrum(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def basis(n):
    """A matrix that is computed once."""
    if n not in CACHE:
        k = np.arange(n)
        CACHE[n] = np.cos(np.pi * (2 * k[None, :] + 1) * k[:, None] / (2 * n)) * np.sqrt(2 / n)
    return CACHE[n]


def compressed(image, keep):
    """The image from its largest coefficients."""
    m = basis(image.shape[0])
    c = m @ image @ m.T
    c[np.abs(c) < np.sort(np.abs(c), axis=None)[-keep]] = 0.0
    return m.T @ c @ m


def histogram(x, edges):
    """Counts, with values outside of the edges in the outer bins."""
    out = np.zeros(len(edges) + 1, dtype=int)
    np.add.at(out, np.searchsorted(edges, x), 1)
    return out
