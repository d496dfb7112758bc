"""Images: filters, thresholds, morphology, borders."""

import numpy as np


def box_blur(image):
    """The mean of nine neighbours; the border stays as it is."""
    out = image.copy()
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            out[i, j] = image[i - 1 : i + 2, j - 1 : j + 2].mean()
    return out


def stretch(image, low=0.2, high=0.8):
    """Stretch the contrast between two levels and clip the rest."""
    return np.clip((image - low) / (high - low), 0.0, 1.0)


def gamma_encode(linear):
    """From linear light to sRGB."""
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.power(np.maximum(linear, 0.0031308), 1 / 2.4) - 0.055)


def dilate(mask):
    """The dilation of a mask by a cross of five pixels."""
    out = mask.copy()
    out[1:, :] |= mask[:-1, :]
    out[:-1, :] |= mask[1:, :]
    out[:, 1:] |= mask[:, :-1]
    out[:, :-1] |= mask[:, 1:]
    return out


def hysteresis(edges, low, high):
    """Strong edges, and weak edges beside strong ones in the same row."""
    strong = edges >= high
    weak = edges >= low
    keep = strong.copy()
    for _ in range(edges.shape[1]):
        grown = keep.copy()
        grown[:, 1:] |= keep[:, :-1]
        grown[:, :-1] |= keep[:, 1:]
        keep = grown & weak
    return keep


def histogram_of_levels(image, bins):
    """Counts of gray levels between 0 and 1; what lies outside counts at the ends."""
    counts = np.zeros(bins, dtype=np.int64)
    for value in image.ravel():
        k = int(value * bins)
        if k < 0:
            k = 0
        if k > bins - 1:
            k = bins - 1
        counts[k] += 1
    return counts


def median_of_three(x):
    """A median filter of three samples; the ends stay as they are."""
    out = x.copy()
    for i in range(1, len(x) - 1):
        a, b, c = x[i - 1], x[i], x[i + 1]
        out[i] = max(min(a, b), min(max(a, b), c))
    return out


def bilinear(image, rows, cols):
    """Samples of an image between its pixels; coordinates outside are moved to the border."""
    height, width = image.shape
    rows = np.clip(rows, 0.0, height - 1.0)
    cols = np.clip(cols, 0.0, width - 1.0)
    top = np.minimum(np.floor(rows).astype(np.int64), height - 1)
    left = np.minimum(np.floor(cols).astype(np.int64), width - 1)
    below = np.minimum(top + 1, height - 1)
    right = np.minimum(left + 1, width - 1)
    dy, dx = rows - top, cols - left
    upper = image[top, left] * (1 - dx) + image[top, right] * dx
    lower = image[below, left] * (1 - dx) + image[below, right] * dx
    return upper * (1 - dy) + lower * dy
