"""Solvers that are given functions, stop early, and raise when something is singular."""

import numpy as np


def leapfrog(force, x, v, dt, steps):
    """Positions at all steps."""
    path = [x]
    a = force(x)
    for _ in range(steps):
        v = v + 0.5 * dt * a
        x = x + dt * v
        a = force(x)
        v = v + 0.5 * dt * a
        path.append(x)
    return np.array(path)


def attraction(x):
    """The force of all bodies on each."""
    d = x[None, :, :] - x[:, None, :]
    r2 = (d**2).sum(-1) + 0.01
    return (d / r2[:, :, None] ** 1.5).sum(1)


def bisect(f, low, high, tolerance=1e-12):
    """A root between two numbers."""
    if f(low) * f(high) > 0:
        raise ValueError("no change of sign")
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        if f(low) * f(middle) <= 0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def tridiagonal(lower, diagonal, upper, right):
    """Thomas's algorithm."""
    n = len(diagonal)
    c, d = np.zeros(n), np.zeros(n)
    for i in range(n):
        pivot = diagonal[i] - (lower[i] * c[i - 1] if i else 0.0)
        if pivot == 0:
            raise ZeroDivisionError(f"the pivot of row {i} is zero")
        c[i] = upper[i] / pivot
        d[i] = (right[i] - (lower[i] * d[i - 1] if i else 0.0)) / pivot
    x = np.zeros(n)
    x[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def cholesky(a):
    """The lower triangular factor, column by column."""
    a = np.array(a, dtype=float)
    n = len(a)
    factor = np.zeros_like(a)
    for j in range(n):
        square = a[j, j] - np.dot(factor[j, :j], factor[j, :j])
        if square <= 0:
            raise np.linalg.LinAlgError("not positive definite")
        factor[j, j] = np.sqrt(square)
        for i in range(j + 1, n):
            factor[i, j] = (a[i, j] - np.dot(factor[i, :j], factor[j, :j])) / factor[j, j]
    return factor


def dominant(a, tolerance=1e-10, limit=10_000):
    """The largest eigenvalue by power iteration, its vector, and the history."""
    v = np.ones(len(a)) / np.sqrt(len(a))
    history = []
    before = np.inf
    for _ in range(limit):
        w = a @ v
        value = v @ w
        v = w / np.linalg.norm(w)
        history.append(value)
        if abs(value - before) < tolerance * abs(value):
            break
        before = value
    else:
        raise RuntimeError("no convergence")
    return value, v, np.array(history)


def relax(u, source, sweeps, report=None):
    """Gauss-Seidel on a grid, with a callback after each sweep."""
    u = u.copy()
    for sweep in range(sweeps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - source[i, j])
        if report is not None:
            report(sweep, float(np.abs(u).max()))
    return u
