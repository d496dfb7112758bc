"""Shallow water in a basin: a solver of finite volumes, in functions that each compute a few arrays from shifted ones."""

import numpy as np

GRAVITY = 9.81


def slopes(f, dx):
    fx = (np.roll(f, -1, axis=0) - np.roll(f, 1, axis=0)) / (2 * dx)
    fy = (np.roll(f, -1, axis=1) - np.roll(f, 1, axis=1)) / (2 * dx)
    return fx, fy


def faces(f, fx, fy, dx):
    """What a field is on both sides of the right and the upper face of each cell."""
    left, right = f + fx * dx / 2, np.roll(f - fx * dx / 2, -1, axis=0)
    below, above = f + fy * dx / 2, np.roll(f - fy * dx / 2, -1, axis=1)
    return left, right, below, above


def flux(h1, h2, u1, u2, v1, v2):
    """The fluxes of volume and of both momenta through a face, by the rule of Rusanov."""
    volume = 0.5 * (h1 * u1 + h2 * u2)
    along = 0.5 * (h1 * u1**2 + h2 * u2**2 + 0.5 * GRAVITY * (h1**2 + h2**2))
    across = 0.5 * (h1 * u1 * v1 + h2 * u2 * v2)
    speed = np.maximum(np.abs(u1) + np.sqrt(GRAVITY * h1), np.abs(u2) + np.sqrt(GRAVITY * h2))
    volume -= 0.5 * speed * (h2 - h1)
    along -= 0.5 * speed * (h2 * u2 - h1 * u1)
    across -= 0.5 * speed * (h2 * v2 - h1 * v1)
    return volume, along, across


def changed(q, right, upper, dx, dt):
    q += -dt / dx * right
    q += dt / dx * np.roll(right, 1, axis=0)
    q += -dt / dx * upper
    q += dt / dx * np.roll(upper, 1, axis=1)
    return q


def simulate(n, end, told=print):
    """The height of the water after a drop, with progress told."""
    dx, t, step = 1.0 / n, 0.0, 0
    x = np.linspace(0.5 * dx, 1 - 0.5 * dx, n)
    xx, yy = np.meshgrid(x, x, indexing="ij")
    height = 1 + 0.2 * np.exp(-((xx - 0.4) ** 2 + (yy - 0.6) ** 2) / 0.01)
    mu, mv = np.zeros((n, n)), np.zeros((n, n))
    while t < end:
        u, v = mu / height, mv / height
        dt = 0.3 * dx / np.max(np.sqrt(GRAVITY * height) + np.sqrt(u**2 + v**2))
        hx, hy = slopes(height, dx)
        ux, uy = slopes(u, dx)
        vx, vy = slopes(v, dx)
        h_half = height - 0.5 * dt * (u * hx + v * hy + height * (ux + vy))
        u_half = u - 0.5 * dt * (u * ux + v * uy + GRAVITY * hx)
        v_half = v - 0.5 * dt * (u * vx + v * vy + GRAVITY * hy)
        h1, h2, h3, h4 = faces(h_half, hx, hy, dx)
        u1, u2, u3, u4 = faces(u_half, ux, uy, dx)
        v1, v2, v3, v4 = faces(v_half, vx, vy, dx)
        volume_x, along_x, across_x = flux(h1, h2, u1, u2, v1, v2)
        volume_y, along_y, across_y = flux(h3, h4, v3, v4, u3, u4)
        height = changed(height, volume_x, volume_y, dx, dt)
        mu = changed(mu, along_x, across_y, dx, dt)
        mv = changed(mv, across_x, along_y, dx, dt)
        t += dt
        step += 1
        if step % 50 == 0:
            told(f"step {step}: {height.max():.4f}")
    return height
