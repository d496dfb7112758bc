"""Black and white: thresholds and the shape of what is white."""

import numpy as np

from .intensity import histogram
from .padding import pad_constant


def otsu_threshold(image, bins=64):
    """The grey value that separates dark from bright best (Otsu 1979)."""
    counts = histogram(image, bins)
    centres = (np.arange(bins) + 0.5) / bins
    best, threshold = -1.0, 0.5
    for k in range(1, bins):
        dark, bright = counts[:k].sum(), counts[k:].sum()
        if dark == 0 or bright == 0:
            continue
        mean_dark = (counts[:k] * centres[:k]).sum() / dark
        mean_bright = (counts[k:] * centres[k:]).sum() / bright
        between = dark * bright * (mean_bright - mean_dark) ** 2
        if between > best:
            best, threshold = between, k / bins
    return threshold


def dilate(mask, radius=1):
    """White grows by `radius` pixels in all eight directions."""
    height, width = mask.shape
    padded = pad_constant(mask, radius, False)
    grown = np.zeros_like(mask)
    for row in range(2 * radius + 1):
        for column in range(2 * radius + 1):
            grown |= padded[row : row + height, column : column + width]
    return grown


def erode(mask, radius=1):
    """White shrinks by `radius` pixels; what lies outside of the image counts as white."""
    height, width = mask.shape
    padded = pad_constant(mask, radius, True)
    kept = np.ones_like(mask)
    for row in range(2 * radius + 1):
        for column in range(2 * radius + 1):
            np.logical_and(kept, padded[row : row + height, column : column + width], out=kept)
    return kept


def opened(mask, radius=1):
    """Without specks."""
    return dilate(erode(mask, radius), radius)


def closed(mask, radius=1):
    """Without pinholes."""
    return erode(dilate(mask, radius), radius)


def bounding_box(mask):
    """First and last row and column that hold white, four integers."""
    rows = np.flatnonzero(mask.any(axis=1))
    columns = np.flatnonzero(mask.any(axis=0))
    return int(rows[0]), int(rows[-1]), int(columns[0]), int(columns[-1])


def centroid(mask):
    """Mean row and column of what is white."""
    rows, columns = np.nonzero(mask)
    return rows.mean(), columns.mean()
