"""Filter observations by each way of resampling: `python -m particle_filter` from the folder above."""

import argparse

import numpy as np

from .filters import ParticleFilter, kalman
from .models import Tracking, simulate


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--particles", type=int, default=400)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


def repeated(model, observations, scheme, particles, repeats, rng):
    """The evidence that each of several filters finds, and the mean of their estimates."""
    evidence = np.zeros(repeats)
    estimates = np.zeros((len(observations), 2))
    for i in range(repeats):
        particle_filter = ParticleFilter(model, particles, scheme, rng)
        estimates += particle_filter.run(observations) / repeats
        evidence[i] = particle_filter.evidence
    return evidence, estimates


def main():
    args = parse_arguments()
    rng = np.random.default_rng(args.seed)
    model = Tracking()
    states, observations = simulate(model, args.steps, rng)
    exact, exact_evidence = kalman(model, observations)
    print(f"kalman: error {np.sqrt(np.mean((exact - states) ** 2)):.4f}, evidence {exact_evidence:.4f}")
    for scheme in ("systematic", "stratified", "multinomial"):
        evidence, estimates = repeated(model, observations, scheme, args.particles, args.repeats, rng)
        error = evidence.std(ddof=1) / np.sqrt(args.repeats)
        off = (evidence.mean() - exact_evidence) / error
        print(f"{scheme}: evidence {evidence.mean():.4f} +- {error:.4f}, off by {off:.2f} errors")
        print(f"  error {np.sqrt(np.mean((estimates - states) ** 2)):.4f}, from kalman {np.abs(estimates - exact).max():.4f}")


if __name__ == "__main__":
    main()
