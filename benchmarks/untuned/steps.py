"""Simulations that print their progress: an iteration is a few array statements, some of them in functions."""

import numpy as np


def laplacian(u, dx):
    out = np.zeros_like(u)
    out[1:-1, 1:-1] = (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]) / dx**2
    return out


def bounded(u):
    u[0, :] = u[1, :]
    u[-1, :] = u[-2, :]
    u[:, 0] = 1.0
    u[:, -1] = 0.0
    return u


def heat(n, steps):
    u = np.zeros((n, n))
    u[n // 4 : n // 2, n // 4 : n // 2] = 2.0
    dx, frames = 1.0 / n, []
    for k in range(steps):
        u = u + 0.2 * dx**2 * laplacian(u, dx)
        u = bounded(u)
        if k % 50 == 0:
            print(f"step {k}: mean {u.mean():.4f}")
            frames.append(u.copy())
    return u, frames


def membrane(n, steps):
    """Leapfrog steps of a wave."""
    x = np.linspace(0, 1, n)
    xx, yy = np.meshgrid(x, x)
    u = np.exp(-((xx - 0.5) ** 2 + (yy - 0.5) ** 2) / 0.005)
    before = u.copy()
    for step in range(steps):
        after = 2 * u - before + 0.25 * laplacian(u, 1.0)
        after[0, :] = after[-1, :] = 0
        after[:, 0] = after[:, -1] = 0
        before, u = u, after
        if step % 100 == 0:
            print(f"{step} {np.sum((u - before) ** 2):.4f}")
    return u


def phase_speed(theta, omega, coupling):
    difference = theta[None, :] - theta[:, None]
    return omega + coupling / len(theta) * np.sin(difference).sum(axis=1)


def oscillators(omega, theta, steps, dt=0.05, coupling=1.5):
    history, order = np.empty((steps, len(theta))), []
    for s in range(steps):
        k1 = phase_speed(theta, omega, coupling)
        k2 = phase_speed(theta + 0.5 * dt * k1, omega, coupling)
        k3 = phase_speed(theta + 0.5 * dt * k2, omega, coupling)
        k4 = phase_speed(theta + dt * k3, omega, coupling)
        theta = (theta + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)) % (2 * np.pi)
        history[s] = theta
        order.append(np.abs(np.exp(1j * theta).mean()))
        if s % 50 == 0:
            print(f"{s:5d} {order[-1]:.3f}")
    return history, order
