"""Textbook algorithms without annotations: tables of dynamic programming, labels of clusters, estimators, functions within functions."""

import numpy as np


def edit_distance(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=int)
    d[:, 0] = np.arange(n + 1)
    d[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


def local_alignment(a, b, match=2.0, mismatch=-1.0, gap=1.0):
    best, h = 0.0, np.zeros((len(a) + 1, len(b) + 1))
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            s = match if a[i - 1] == b[j - 1] else mismatch
            h[i, j] = max([0.0, h[i - 1, j - 1] + s, h[i - 1, j] - gap, h[i, j - 1] - gap])
            best = max(best, h[i, j])
    return best


def forward(A, B, start, seen):
    """The logarithm of the probability of what a hidden Markov model shows."""
    alpha = start * B[:, seen[0]]
    total = np.log(alpha.sum())
    alpha = alpha / alpha.sum()
    for o in seen[1:]:
        alpha = (alpha @ A) * B[:, o]
        total += np.log(alpha.sum())
        alpha = alpha / alpha.sum()
    return total


def lorenz(steps, dt=0.01, sigma=10.0, rho=28.0, beta=8.0 / 3.0):
    def f(v):
        x, y, z = v
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    out = np.empty((steps + 1, 3))
    out[0] = (1.0, 1.0, 1.0)
    for i in range(steps):
        v = out[i]
        k1 = f(v)
        k2 = f(v + dt / 2 * k1)
        k3 = f(v + dt / 2 * k2)
        k4 = f(v + dt * k3)
        out[i + 1] = v + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return out


def life(grid, generations):
    for _ in range(generations):
        n = sum(np.roll(np.roll(grid, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        grid = ((n == 3) | ((grid == 1) & (n == 2))).astype(np.int64)
    return grid


def clusters(points, k, rounds=20):
    centres = points[:k].copy()
    for _ in range(rounds):
        labels = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(-1).argmin(1)
        centres = np.array([points[labels == j].mean(0) if np.any(labels == j) else centres[j] for j in range(k)])
    return centres, labels


class Regression:
    """Logistic regression by gradient descent."""

    def __init__(self, rate=0.1, rounds=500, penalty=0.0):
        self.rate, self.rounds, self.penalty = rate, rounds, penalty
        self.weights = None
        self.offset = 0.0

    def fit(self, X, y):
        self.weights = np.zeros(X.shape[1])
        self.offset = 0.0
        self.losses = []
        for _ in range(self.rounds):
            p = 1 / (1 + np.exp(-(X @ self.weights + self.offset)))
            error = p - y
            self.weights -= self.rate * (X.T @ error / len(y) + self.penalty * self.weights)
            self.offset -= self.rate * error.mean()
            self.losses.append(-np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)))
        return self.weights, self.offset, self.losses
