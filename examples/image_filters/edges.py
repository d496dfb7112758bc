"""Where grey values change."""

import numpy as np

from .smoothing import convolve

SOBEL = np.array([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])


def sobel(image):
    """Strength and direction (radians, between -pi and pi) of the edges."""
    across = convolve(image, SOBEL)
    down = convolve(image, SOBEL.T)
    return np.hypot(across, down), np.arctan2(down, across)


def thin(strength, direction):
    """Keep only pixels that are at least as strong as both neighbours across the edge; the border becomes 0."""
    sector = np.round(direction / (np.pi / 4)).astype(int) % 4
    thinned = np.zeros_like(strength)
    inner = strength[1:-1, 1:-1]
    offsets = [(0, 1), (1, 1), (1, 0), (1, -1)]
    for k, (down, across) in enumerate(offsets):
        ahead = strength[1 + down : strength.shape[0] - 1 + down, 1 + across : strength.shape[1] - 1 + across]
        behind = strength[1 - down : strength.shape[0] - 1 - down, 1 - across : strength.shape[1] - 1 - across]
        keep = (sector[1:-1, 1:-1] == k) & (inner >= ahead) & (inner >= behind)
        view = thinned[1:-1, 1:-1]
        view[keep] = inner[keep]
    return thinned


def hysteresis(strength, low, high, rounds=20):
    """Strong pixels, and weak ones that are joined to them."""
    edges = strength >= high
    weak = strength >= low
    for _ in range(rounds):
        grown = edges.copy()
        grown[1:] |= edges[:-1]
        grown[:-1] |= edges[1:]
        grown[:, 1:] |= edges[:, :-1]
        grown[:, :-1] |= edges[:, 1:]
        grown &= weak
        if np.array_equal(grown, edges):
            break
        edges = grown
    return edges
