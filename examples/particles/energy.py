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
    """Counts of the speeds in equal bins from 0 to `top`, and the edges of the bins."""
    speed = np.sqrt((velocity**2).sum(axis=1))
    return np.histogram(speed, bins=bins, range=(0.0, top))
