"""Where the particles start, and how fast."""

import numpy as np


def lattice(n, box):
    """Positions (n, 2) on a square lattice that fills the lower part of the box."""
    columns = int(np.ceil(np.sqrt(n)))
    spacing = box / (columns + 1)
    position = np.zeros((n, 2))
    for k in range(n):
        row, column = divmod(k, columns)
        position[k, 0] = (column + 1) * spacing[0]
        position[k, 1] = (row + 1) * spacing[1]
    position[1::2, 0] += 0.1 * spacing[0]
    return position


def thermal_velocities(rng, n, scale):
    """Velocities (n, 2) of a gas at rest as a whole, nearly."""
    return scale * rng.standard_normal((n, 2))


def remove_drift(velocity, mass):
    """Take the motion of the centre of mass out of `velocity`, in place."""
    drift = (mass[:, None] * velocity).sum(axis=0) / mass.sum()
    velocity -= drift
