"""Particles: forces with cutoffs, walls, neighbours."""

import numpy as np


def lennard_jones(position, cutoff):
    """Potential and forces of particles within a cutoff."""
    n = len(position)
    force = np.zeros_like(position)
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            delta = position[i] - position[j]
            r2 = np.sum(delta * delta)
            if r2 > 0.0 and r2 < cutoff * cutoff:
                inverse = 1.0 / r2
                six = inverse * inverse * inverse
                energy += 4.0 * six * (six - 1.0)
                push = 24.0 * six * (2.0 * six - 1.0) * inverse * delta
                force[i] += push
                force[j] -= push
    return energy, force


def directions(position, center):
    """Unit vectors to a center; zero for a particle that is there."""
    delta = center - position
    distance = np.sqrt(np.sum(delta * delta, axis=1))
    safe = np.where(distance > 0, distance, 1.0)
    return delta / safe[:, None]


def reflect(position, velocity, width):
    """Reflect particles at the walls 0 and `width`."""
    low = position < 0.0
    high = position > width
    position = np.where(low, -position, np.where(high, 2.0 * width - position, position))
    velocity = np.where(low | high, -velocity, velocity)
    return position, velocity


def nearest(points, query):
    """The index of the nearest point, the first one if several are equally near, and its distance."""
    best, where = np.inf, -1
    for i in range(len(points)):
        distance = np.sum(np.abs(points[i] - query))
        if distance < best:
            best = distance
            where = i
    return where, best


def neighbours(x, radius):
    """How many other points are not farther away than `radius`."""
    counts = np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j and np.abs(x[i] - x[j]) <= radius:
                counts[i] += 1
    return counts


def wrap(x, length):
    """Coordinates in a periodic box, from 0 up to but not including `length`."""
    for i in range(len(x)):
        if x[i] >= length:
            x[i] -= length
        elif x[i] < 0.0:
            x[i] += length
    return x


def gravity(mass, position, softening):
    """Accelerations by gravity."""
    acceleration = np.zeros_like(position)
    for i in range(len(mass)):
        for j in range(len(mass)):
            if i != j:
                delta = position[j] - position[i]
                d2 = delta @ delta + softening**2
                if d2 > 0.0:
                    acceleration[i] += mass[j] * delta / (d2 * np.sqrt(d2))
    return acceleration
