"""Logarithms of densities, up to a constant, for points (chains, 2); each knows its mean and variance."""

import numpy as np


class Gaussian:
    """Two correlated coordinates with standard deviations 1 and `width`."""

    name = "gaussian"

    def __init__(self, width=2.0, correlation=0.6):
        shared = correlation * width
        self.mean = np.array([1.0, -0.5])
        self.variance = np.array([1.0, width**2])
        self.precision = np.linalg.inv(np.array([[1.0, shared], [shared, width**2]]))

    def log_density(self, points):
        away = points - self.mean
        return -0.5 * np.einsum("ni,ij,nj->n", away, self.precision, away)


class Banana:
    """A Gaussian bent along a parabola (Haario, Saksman and Tamminen 1999)."""

    name = "banana"

    def __init__(self, bend=0.3):
        self.bend = bend
        self.mean = np.array([0.0, 0.0])
        self.variance = np.array([1.0, 0.25 + 2.0 * bend**2])

    def log_density(self, points):
        x, y = points[:, 0], points[:, 1]
        return -0.5 * x**2 - 2.0 * (y - self.bend * (x**2 - 1.0)) ** 2


class Mixture:
    """Two round Gaussians, the left one of weight one third."""

    name = "mixture"

    def __init__(self, distance=2.0):
        self.centres = np.array([[-distance / 2, 0.0], [distance / 2, 0.0]])
        self.weights = np.array([1.0, 2.0]) / 3.0
        self.mean = self.weights @ self.centres
        self.variance = 1.0 + self.weights @ self.centres**2 - self.mean**2

    def log_density(self, points):
        away = points[:, None, :] - self.centres
        return np.log(np.exp(-0.5 * np.sum(away**2, axis=2)) @ self.weights)
