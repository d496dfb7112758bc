"""Functions that draw random numbers."""

import numpy as np


def bootstrap(x, repeats, seed=None):
    """The mean of resampled data."""
    rng = np.random.default_rng(seed)
    means = np.empty(repeats)
    for i in range(repeats):
        means[i] = x[rng.integers(0, len(x), len(x))].mean()
    return means


def metropolis(density, x, steps, width=1.0):
    """A Markov chain."""
    chain = [x]
    value = density(x)
    for _ in range(steps):
        proposal = x + width * np.random.normal(size=np.shape(x))
        new = density(proposal)
        if np.random.rand() < np.exp(new - value):
            x, value = proposal, new
        chain.append(x)
    return np.array(chain)


def walk(n, dimensions=2):
    return np.cumsum(np.random.choice([-1, 1], size=(n, dimensions)), axis=0)


def kmeans(points, k, rounds, rng=None):
    """Centres and labels; an empty cluster keeps its centre."""
    rng = np.random.RandomState(0) if rng is None else rng
    centres = points[rng.permutation(len(points))[:k]].copy()
    for _ in range(rounds):
        labels = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(-1).argmin(1)
        for c in range(k):
            if np.any(labels == c):
                centres[c] = points[labels == c].mean(0)
    return centres, labels
