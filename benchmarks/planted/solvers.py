"""Solvers: iterations with a tolerance, time steps, boundaries."""

import numpy as np


def jacobi(b, sweeps):
    """Sweeps over a Poisson problem with fixed borders."""
    u = np.zeros_like(b)
    for _ in range(sweeps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + b[1:-1, 1:-1])
    return u


def bisect(lows, highs, target):
    """Square roots of a target by bisection, at most 40 steps each."""
    out = np.zeros(len(lows))
    for k in range(len(lows)):
        low, high = lows[k], highs[k]
        for _ in range(40):
            middle = 0.5 * (low + high)
            if middle * middle > target:
                high = middle
            else:
                low = middle
        out[k] = 0.5 * (low + high)
    return out


def power_iteration(a, steps):
    """The dominant eigenvalue; a vector that vanishes stays where it is."""
    v = np.ones(a.shape[0])
    value = 0.0
    for _ in range(steps):
        w = a @ v
        norm = np.sqrt(w @ w)
        if norm == 0:
            break
        value = v @ w / (v @ v)
        v = w / norm
    return value, v


def upwind(u, speed, steps):
    """Advection on a ring, against the direction of the flow."""
    for _ in range(steps):
        if speed >= 0:  # noqa: SIM108
            u = u - speed * (u - np.roll(u, 1))
        else:
            u = u - speed * (np.roll(u, -1) - u)
    return u


def minmod_slopes(u):
    """Limited slopes; zero at both ends."""
    slope = np.zeros_like(u)
    for i in range(1, len(u) - 1):
        left = u[i] - u[i - 1]
        right = u[i + 1] - u[i]
        if left * right > 0:
            slope[i] = left if abs(left) < abs(right) else right
    return slope


def thomas(lower, diagonal, upper, rhs):
    """A tridiagonal system."""
    n = len(rhs)
    c = np.zeros(n)
    d = np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = rhs[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (rhs[i] - lower[i] * d[i - 1]) / pivot
    x = np.zeros(n)
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def newton_root(a, tolerance=1e-10, rounds=50):
    """The square root of each number by Newton's method; zero for what is not positive."""
    out = np.zeros(len(a))
    for k in range(len(a)):
        if a[k] > 0:
            x = a[k] if a[k] > 1.0 else 1.0
            for _ in range(rounds):
                after = 0.5 * (x + a[k] / x)
                if abs(after - x) <= tolerance * x:
                    x = after
                    break
                x = after
            out[k] = x
    return out


def heat_rows(t, left, right, steps):
    """Heat flow along each row between two held ends."""
    t = t.copy()
    for _ in range(steps):
        t[:, 0] = left
        t[:, -1] = right
        t[:, 1:-1] += 0.2 * (t[:, 2:] - 2.0 * t[:, 1:-1] + t[:, :-2])
    return t
