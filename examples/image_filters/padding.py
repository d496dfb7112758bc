"""Borders around images, so that a window fits at every pixel."""

import numpy as np


def pad_constant(image, radius, value=0):
    """A copy of `image` with a border of `radius` pixels of `value`; keeps the dtype."""
    height, width = image.shape
    padded = np.full((height + 2 * radius, width + 2 * radius), value, dtype=image.dtype)
    padded[radius : radius + height, radius : radius + width] = image
    return padded


def pad_reflect(image, radius):
    """A copy of `image` with a border of `radius` pixels that mirrors the image at its edge."""
    padded = pad_constant(image, radius)
    if radius == 0:
        return padded
    padded[:radius] = padded[radius : 2 * radius][::-1]
    padded[-radius:] = padded[-2 * radius : -radius][::-1]
    padded[:, :radius] = padded[:, radius : 2 * radius][:, ::-1]
    padded[:, -radius:] = padded[:, -2 * radius : -radius][:, ::-1]
    return padded


def windows(image, radius):
    """All windows, shape ((2 radius + 1)**2, height, width): one shifted copy of the image for every place in the window."""
    size = 2 * radius + 1
    height, width = image.shape
    padded = pad_reflect(image, radius)
    stack = np.empty((size * size, height, width), dtype=image.dtype)
    for row in range(size):
        for column in range(size):
            stack[row * size + column] = padded[row : row + height, column : column + width]
    return stack
