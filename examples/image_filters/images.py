"""Images to try the filters on; grey values are between 0 and 1, the first axis goes down."""

import numpy as np


def gradient(height, width):
    """Dark at the top left, bright at the bottom right."""
    rows, columns = np.mgrid[0:height, 0:width]
    return (rows + columns) / (height + width - 2)


def draw_disc(image, centre, radius, value):
    """Paint a disc into `image`, in place."""
    rows, columns = np.ogrid[: image.shape[0], : image.shape[1]]
    inside = (rows - centre[0]) ** 2 + (columns - centre[1]) ** 2 <= radius**2
    image[inside] = value


def draw_rectangle(image, top, left, bottom, right, value):
    """Paint a rectangle into `image`, in place."""
    image[top:bottom, left:right] = value


def draw_grid(image, spacing, value):
    """Paint thin lines across `image`, in place."""
    image[::spacing, :] = value
    image[:, ::spacing] = value


def scene(height, width):
    """A dim background with a few bright things on it."""
    image = 0.4 * gradient(height, width)
    draw_grid(image, 16, 0.1)
    draw_rectangle(image, height // 8, width // 8, height // 2, width // 3, 0.8)
    draw_disc(image, (2 * height // 3, 2 * width // 3), height // 5, 0.9)
    draw_disc(image, (2 * height // 3, 2 * width // 3), height // 12, 0.2)
    return image


def add_noise(image, rng, sigma, fraction):
    """A noisy copy: Gaussian noise everywhere, and `fraction` of the pixels black or white."""
    noisy = image + sigma * rng.standard_normal(image.shape)
    dice = rng.random(image.shape)
    noisy[dice < fraction / 2] = 0.0
    noisy[dice > 1 - fraction / 2] = 1.0
    return noisy.clip(0.0, 1.0)
