"""The state of the gas, and how it moves on by one step."""

import numpy as np

from .forces import total_force
from .grid import candidate_pairs
from .walls import reflect


class Gas:
    """Positions, velocities and forces of all particles, changed in place as time goes on.

    Attributes
    ----------
    position, velocity, force : ndarray, shape (n, 2)
    mass : ndarray, shape (n,)
    box : ndarray, shape (2,)
        Width and height.
    contact_energy : float
        Energy stored in overlapping pairs.
    """

    def __init__(self, position, velocity, mass, box, diameter, stiffness, gravity=0.0, drag=0.0):
        self.position = position
        self.velocity = velocity
        self.mass = mass
        self.box = box
        self.diameter = diameter
        self.stiffness = stiffness
        self.gravity = gravity
        self.drag = drag
        self.start = position.copy()
        self.travelled = np.zeros_like(position)
        self.force = np.zeros_like(position)
        self.age = 0
        self.contact_energy = 0.0
        self.find_pairs()
        self.update_forces()

    def find_pairs(self):
        """Cells are larger than a diameter, so that the pairs stay valid for a few steps."""
        columns, rows = (self.box / (1.5 * self.diameter)).astype(int)
        self.pairs = candidate_pairs(self.position, self.box, (int(columns), int(rows)))

    def update_forces(self):
        self.contact_energy = total_force(self.force, self.position, self.velocity, self.mass, self.pairs, self)

    def kick(self, dt):
        self.velocity += dt * self.force / self.mass[:, None]

    def drift(self, dt):
        step = dt * self.velocity
        self.position += step
        self.travelled += np.abs(step)

    def step(self, dt, walls):
        """Velocity Verlet: half a kick, a drift, the new forces, half a kick."""
        self.kick(0.5 * dt)
        self.drift(dt)
        reflect(self.position, self.velocity, self.box, walls)
        self.age += 1
        if self.age % 10 == 0:
            self.find_pairs()
        self.update_forces()
        self.kick(0.5 * dt)

    def momentum(self):
        return (self.mass[:, None] * self.velocity).sum(axis=0)

    def largest_displacement(self):
        """The longest straight way that a particle is from where it started."""
        return np.linalg.norm(self.position - self.start, axis=1).max()
