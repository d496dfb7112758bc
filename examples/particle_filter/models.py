"""A hidden state that moves on at random, and is seen through noise."""

import numpy as np


class Tracking:
    """Position and velocity of a body that is pushed at random; the position is observed. Linear and Gaussian."""

    def __init__(self, push=0.3, noise=1.0, dt=0.5):
        self.transition = np.array([[1.0, dt], [0.0, 1.0]])
        self.push = push * np.array([0.5 * dt**2, dt])
        self.noise = noise

    def first(self, rng, count):
        """States (count, 2) before the first observation."""
        return rng.standard_normal((count, 2))

    def move(self, states, rng):
        """The states one step later."""
        return states @ self.transition.T + self.push * rng.standard_normal((len(states), 1))

    def seen(self, states):
        """What would be observed without noise."""
        return states[:, 0]

    def log_likelihood(self, observation, states):
        away = (observation - self.seen(states)) / self.noise
        return -0.5 * away**2 - np.log(self.noise * np.sqrt(2.0 * np.pi))


def simulate(model, steps, rng):
    """Hidden states (steps, dimensions) and the observations (steps,) of one run."""
    state = model.first(rng, 1)
    states, observations = [], []
    for _ in range(steps):
        state = model.move(state, rng)
        states.append(state[0])
        observations.append(model.seen(state)[0] + model.noise * rng.standard_normal())
    return np.array(states), np.array(observations)
