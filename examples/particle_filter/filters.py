"""The bootstrap filter (Gordon, Salmond and Smith 1993) and the Kalman filter."""

import numpy as np

from .resampling import effective_size, resample


class ParticleFilter:
    """Particles that move like the state, and are resampled when few of them carry the weight.

    Attributes
    ----------
    particles : ndarray, shape (count, dimensions)
    log_weights : ndarray, shape (count,)
    evidence : float
        Logarithm of the probability of all observations so far.
    resampled : int
        How often the particles were resampled.
    """

    def __init__(self, model, count, scheme, rng):
        self.model = model
        self.scheme = scheme
        self.rng = rng
        self.particles = model.first(rng, count)
        self.log_weights = np.full(count, -np.log(count))
        self.evidence = 0.0
        self.resampled = 0

    def weights(self):
        return np.exp(self.log_weights)

    def predict(self):
        self.particles = self.model.move(self.particles, self.rng)

    def update(self, observation):
        """Weigh the particles by how well they explain an observation."""
        self.log_weights += self.model.log_likelihood(observation, self.particles)
        highest = self.log_weights.max()
        total = highest + np.log(np.sum(np.exp(self.log_weights - highest)))
        self.log_weights -= total
        self.evidence += total

    def select(self):
        """Resample where the weights have become too uneven."""
        if effective_size(self.weights()) < 0.5 * len(self.particles):
            self.particles = self.particles[resample(self.scheme, self.weights(), self.rng)]
            self.log_weights[:] = -np.log(len(self.particles))
            self.resampled += 1

    def mean(self):
        """The estimate of the state, shape (dimensions,)."""
        return self.weights() @ self.particles

    def run(self, observations):
        """Estimates (steps, dimensions) after each observation."""
        estimates = np.zeros((len(observations), self.particles.shape[1]))
        for time in range(len(observations)):
            self.predict()
            self.update(observations[time])
            estimates[time] = self.mean()
            self.select()
        return estimates


def kalman(model, observations):
    """The exact estimates (steps, 2) for `Tracking`, and the logarithm of the probability of the observations."""
    mean, covariance = np.zeros(2), np.eye(2)
    pushed = np.outer(model.push, model.push)
    estimates, evidence = [], 0.0
    for observation in observations:
        mean = model.transition @ mean
        covariance = model.transition @ covariance @ model.transition.T + pushed
        variance = covariance[0, 0] + model.noise**2
        surprise = observation - mean[0]
        gain = covariance[:, 0] / variance
        mean = mean + gain * surprise
        covariance = covariance - np.outer(gain, covariance[0])
        evidence += -0.5 * (surprise**2 / variance + np.log(2.0 * np.pi * variance))
        estimates.append(mean)
    return np.array(estimates), evidence
