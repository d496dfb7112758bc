"""Hard walls: particles that left the box are put back and their velocity is turned round."""

import numpy as np


class WallCounter:
    """How often each wall was hit: left, right, bottom, top."""

    def __init__(self):
        self.hits = np.zeros(4, dtype=int)

    def record(self, wall, count):
        self.hits[wall] += count

    @property
    def total(self):
        return int(self.hits.sum())


def reflect(position, velocity, box, counter):
    """Reflect `position` and `velocity`, both (n, 2), at the walls of `box`, in place."""
    for axis in range(2):
        below = position[:, axis] < 0.0
        position[below, axis] *= -1.0
        velocity[below, axis] *= -1.0
        above = position[:, axis] > box[axis]
        position[above, axis] = 2.0 * box[axis] - position[above, axis]
        velocity[above, axis] *= -1.0
        counter.record(2 * axis, np.count_nonzero(below))
        counter.record(2 * axis + 1, np.count_nonzero(above))
