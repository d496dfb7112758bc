"""Filters that take noise away."""

import numpy as np

from .padding import pad_reflect, windows


def gaussian_kernel(sigma, truncate=3.0):
    """Weights (2 radius + 1,) of a Gaussian; they sum to 1."""
    radius = int(truncate * sigma + 0.5)
    x = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 * (x / sigma) ** 2)
    weights /= weights.sum()
    return weights


def convolve(image, kernel):
    """Convolution with an odd-sized square kernel; the result has the size of the image."""
    radius = kernel.shape[0] // 2
    height, width = image.shape
    padded = pad_reflect(image, radius)
    flipped = kernel[::-1, ::-1]
    result = np.zeros_like(image)
    for row in range(kernel.shape[0]):
        for column in range(kernel.shape[1]):
            result += flipped[row, column] * padded[row : row + height, column : column + width]
    return result


def convolve_rows(padded, weights, result):
    """Add to `result` the convolution of every row of `padded`, which is wider by len(weights) - 1."""
    width = result.shape[1]
    for k, weight in enumerate(weights[::-1]):
        result += weight * padded[:, k : k + width]


def gaussian(image, sigma):
    """Gaussian blur, one axis after the other."""
    weights = gaussian_kernel(sigma)
    radius = len(weights) // 2
    across = np.zeros_like(image)
    convolve_rows(pad_reflect(image, radius)[radius:-radius], weights, across)
    down = np.zeros_like(image.T)
    convolve_rows(pad_reflect(across, radius).T[radius:-radius], weights, down)
    return down.T


def median(image, radius=1):
    """Middle value of every window: removes single wrong pixels and keeps edges."""
    return np.median(windows(image, radius), axis=0)


def unsharp_mask(image, sigma, amount):
    """Sharpen: add `amount` times what a blur would take away; stays within 0 and 1."""
    sharpened = gaussian(image, sigma)
    np.subtract(image, sharpened, out=sharpened)
    sharpened *= amount
    sharpened += image
    np.clip(sharpened, 0.0, 1.0, out=sharpened)
    return sharpened
