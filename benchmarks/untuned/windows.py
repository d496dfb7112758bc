"""Windows over images: cut out by a function, counted by `while` loops that begin with a break; neighbours that are looked up among others."""

import numpy as np


def around(image, x, y, size):
    half = size // 2
    return image[x - half : x + half + 1, y - half : y + half + 1]


def gaussian(size, width):
    weights = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            weights[i, j] = np.exp(-((i - size // 2) ** 2 + (j - size // 2) ** 2) / (2 * width**2))
    return weights / weights.sum()


def edge_preserving(image, size=5, width=1.5, contrast=0.3):
    """A bilateral filter."""
    space, made = gaussian(size, width), np.copy(image)
    for i in range(size // 2, image.shape[0] - size // 2):
        for j in range(size // 2, image.shape[1] - size // 2):
            window = around(image, i, j, size)
            weights = space * np.exp(-(((window - image[i, j]) / contrast) ** 2))
            made[i, j] = np.sum(weights * window) / np.sum(weights)
    return made


def pooled(image, size, stride):
    rows, columns = (image.shape[0] - size) // stride + 1, (image.shape[1] - size) // stride + 1
    made = np.zeros((rows, columns))
    i, j, row, column = 0, 0, 0, 0
    while i < image.shape[0]:
        if i + size > image.shape[0]:
            break
        while j < image.shape[1]:
            if j + size > image.shape[1]:
                break
            made[row, column] = np.mean(image[i : i + size, j : j + size])
            j += stride
            column += 1
        i += stride
        row += 1
        j = 0
        column = 0
    return made


def grown(image, weak=1, strong=2):
    """Weak pixels become strong beside strong ones, from above and from the left, and vanish elsewhere."""
    made = np.array(image)
    for i in range(1, made.shape[0] - 1):
        for j in range(1, made.shape[1] - 1):
            if made[i, j] == weak:
                if strong in (made[i - 1, j - 1], made[i - 1, j], made[i - 1, j + 1], made[i, j - 1]):
                    made[i, j] = strong
                else:
                    made[i, j] = 0
    return made
