"""The sampler: many chains at once, each of which moves, or stays, by the Metropolis rule."""

import numpy as np


class Metropolis:
    """Random-walk Metropolis (Metropolis et al. 1953) for several chains, with a generator of its own.

    Attributes
    ----------
    position : ndarray, shape (chains, 2)
        Where the chains are.
    current : ndarray, shape (chains,)
        The logarithm of the density there.
    scale : float
        Standard deviation of a proposed step; `tune` sets it.
    accepted, proposed : ndarray, shape (chains,), and int
        Counts since they were last reset.
    """

    def __init__(self, target, chains, seed=None, scale=1.0):
        self.rng = np.random.default_rng(seed)
        self.target = target
        self.scale = scale
        self.position = 3.0 * self.rng.standard_normal((chains, 2))
        self.current = target.log_density(self.position)
        self.reset_counts()

    def reset_counts(self):
        self.accepted = np.zeros(len(self.position))
        self.proposed = 0

    def propose(self):
        """Points around the present ones, shape (chains, 2)."""
        return self.position + self.scale * self.rng.standard_normal(self.position.shape)

    def step(self):
        """Move each chain to its proposal with probability min(1, ratio of the densities)."""
        proposal = self.propose()
        density = self.target.log_density(proposal)
        accept = np.log(self.rng.random(len(density))) < density - self.current
        self.position = np.where(accept[:, None], proposal, self.position)
        self.current = np.where(accept, density, self.current)
        self.accepted += accept
        self.proposed += 1

    def acceptance(self):
        """The share of the proposals that were accepted, over all chains."""
        return self.accepted.mean() / self.proposed

    def tune(self, rounds, steps=20, wanted=0.35):
        """Forget the start, and find a scale at which about `wanted` of the proposals are accepted."""
        for _ in range(rounds):
            self.reset_counts()
            for _ in range(steps):
                self.step()
            self.scale *= float(np.exp(self.acceptance() - wanted))
        self.reset_counts()

    def run(self, steps):
        """Positions after each of `steps` steps, shape (steps, chains, 2)."""
        path = np.empty((steps, *self.position.shape))
        for i in range(steps):
            self.step()
            path[i] = self.position
        return path
