"""Functions that check their arguments, take modes as text, and accept lists."""

import numpy as np


def turn(vectors, axis, angle):
    """Turn vectors about an axis of length one (Rodrigues)."""
    axis = np.asarray(axis, dtype=float)
    if axis.shape != (3,):
        raise ValueError(f"the axis has the shape {axis.shape}, not (3,)")
    if not np.isclose(np.dot(axis, axis), 1.0):
        raise ValueError("the axis must have length one")
    vectors = np.atleast_2d(vectors)
    along = vectors @ axis
    across = np.cross(axis, vectors)
    return vectors * np.cos(angle) + across * np.sin(angle) + np.outer(along, axis) * (1.0 - np.cos(angle))


def scaled(data, mode="standard", axis=0):
    """Scale columns: "standard", "range" or "robust"."""
    data = np.asarray(data, dtype=float)
    if mode == "standard":
        return (data - data.mean(axis=axis)) / (data.std(axis=axis) + 1e-12)
    if mode == "range":
        low, high = data.min(axis=axis), data.max(axis=axis)
        return (data - low) / np.where(high > low, high - low, 1.0)
    if mode == "robust":
        low, middle, high = np.percentile(data, [25, 50, 75], axis=axis)
        return (data - middle) / (high - low)
    raise ValueError("unknown mode: " + mode)


def weighted_moments(values, weights):
    """Mean, variance and skewness with weights."""
    values, weights = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    if np.any(weights < 0):
        raise ValueError("negative weight %g" % weights.min())
    total = np.sum(weights)
    mean = np.sum(weights * values) / total
    variance = np.sum(weights * (values - mean) ** 2) / total
    return mean, variance, np.sum(weights * (values - mean) ** 3) / total / variance**1.5


def blackbody(wavelength, temperature):
    """Planck's law; complains about NaN."""
    if np.isnan(wavelength).any() or np.isnan(temperature):
        raise ValueError("NaN")
    assert temperature > 0, "absolute temperatures only"
    exponent = 1.438776877e-2 / (wavelength * temperature)
    return 1.191042972e-16 / wavelength**5 / np.expm1(exponent)


def similarity(a, b, kind="cosine"):
    """All pairs of rows."""
    if kind not in ("cosine", "gauss", "overlap"):
        raise KeyError(kind)
    if kind == "cosine":
        a = a / np.linalg.norm(a, axis=1, keepdims=True)
        b = b / np.linalg.norm(b, axis=1, keepdims=True)
        return a @ b.T
    square = (a**2).sum(1)[:, None] + (b**2).sum(1)[None, :] - 2.0 * a @ b.T
    if kind == "gauss":
        return np.exp(-np.maximum(square, 0.0))
    return np.minimum(a[:, None, :], b[None, :, :]).sum(-1)
