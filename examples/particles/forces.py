"""Forces between particles, added up in place."""

import numpy as np
from numpy.typing import NDArray


def add_gravity(force: NDArray[np.float64], mass: NDArray[np.float64], gravity: float) -> None:
    """Pull everything down: `force` has shape (n, 2), `mass` (n,)."""
    force[:, 1] -= mass * gravity


def add_contacts(
    force: NDArray[np.float64],
    position: NDArray[np.float64],
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    diameter: float,
    stiffness: float,
) -> float:
    """Push overlapping pairs (i, j) apart like springs; return the energy that they store.

    Parameters
    ----------
    force : ndarray, shape (n, 2)
        Added to in place.
    position : ndarray, shape (n, 2)
    i, j : ndarray, shape (pairs,)
        Indices of the particles of each pair.
    diameter, stiffness : float
        Pairs closer than `diameter` repel with `stiffness` times their overlap.
    """
    separation = position[i] - position[j]
    distance = np.sqrt(np.sum(separation**2, axis=1))
    overlap = diameter - distance
    overlap[overlap < 0] = 0.0
    distance[distance == 0] = 1.0
    push = (stiffness * overlap / distance)[:, None] * separation
    np.add.at(force, i, push)
    np.subtract.at(force, j, push)
    return 0.5 * stiffness * np.sum(overlap**2)


def add_drag(force: NDArray[np.float64], velocity: NDArray[np.float64], drag: float) -> None:
    """Slow everything down, the fast ones more."""
    speed = np.linalg.norm(velocity, axis=1, keepdims=True)
    force -= drag * speed * velocity


def total_force(force, position, velocity, mass, pairs, gas):
    """Fill `force` with all forces; return the energy in the contacts."""
    force.fill(0.0)
    add_gravity(force, mass, gas.gravity)
    if gas.drag > 0:
        add_drag(force, velocity, gas.drag)
    i, j = pairs
    return add_contacts(force, position, i, j, gas.diameter, gas.stiffness)
