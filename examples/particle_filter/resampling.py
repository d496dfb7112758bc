"""Which particles go on: each as often as its weight says, on average (Douc, Cappe and Moulines 2005)."""

import numpy as np


def effective_size(weights):
    """How many particles of equal weight would say as much."""
    return 1.0 / np.sum(weights**2)


def chosen(weights, points):
    """The particles on which points in [0, 1) fall, when the weights are laid side by side."""
    edges = np.cumsum(weights)
    edges[-1] = 1.0
    return np.searchsorted(edges, points, side="right")


def systematic(weights, rng):
    """Points at equal distances, shifted together."""
    count = len(weights)
    return chosen(weights, (np.arange(count) + rng.random()) / count)


def stratified(weights, rng):
    """One point at random in each of as many equal intervals."""
    count = len(weights)
    return chosen(weights, (np.arange(count) + rng.random(count)) / count)


def multinomial(weights, rng):
    """Independent points: the noisiest way."""
    return chosen(weights, np.sort(rng.random(len(weights))))


def resample(scheme, weights, rng):
    """Which particles go on, by the name of a scheme."""
    if scheme == "systematic":
        return systematic(weights, rng)
    if scheme == "stratified":
        return stratified(weights, rng)
    return multinomial(weights, rng)
