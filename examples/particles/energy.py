"""What a physicist measures of a gas."""

import numpy as np


def kinetic_energy(velocity, mass):
    return 0.5 * np.sum(mass * np.sum(velocity**2, axis=1))


def potential_of_height(position, mass, gravity):
    return gravity * np.dot(mass, position[:, 1])


def temperature(velocity, mass):
    """In units in which Boltzmann's constant is 1; two degrees of freedom a particle."""
    return kinetic_energy(velocity, mass) / len(mass)


def speed_histogram(velocity, bins, top):
    """Counts of the speeds in equal bins from 0 to `top` (faster ones count in the last), and the edges of the bins."""
    speed = np.sqrt((velocity**2).sum(axis=1))
    counts = np.zeros(bins, dtype=int)
    np.add.at(counts, np.minimum((speed / top * bins).astype(int), bins - 1), 1)
    return counts, np.linspace(0.0, top, bins + 1)
