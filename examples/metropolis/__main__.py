"""Sample three distributions and compare with what is known of them: `python -m metropolis` from the folder above."""

import argparse

from .estimates import autocorrelation_time, gelman_rubin, mean_with_error
from .sampler import Metropolis
from .targets import Banana, Gaussian, Mixture


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chains", type=int, default=100)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def report(target, path, acceptance):
    """Print the moments of both coordinates, and how many standard errors they are from the truth."""
    print(f"{target.name}: {acceptance:.3f} accepted")
    for axis in range(2):
        series = path[:, :, axis]
        mean, error = mean_with_error(series)
        square, square_error = mean_with_error((series - target.mean[axis]) ** 2)
        print(f"  mean {mean:.4f} +- {error:.4f}, off by {(mean - target.mean[axis]) / error:.2f} errors")
        off = (square - target.variance[axis]) / square_error
        print(f"  variance {square:.4f} +- {square_error:.4f}, off by {off:.2f} errors")
        print(f"  time {autocorrelation_time(series):.1f} steps, scale reduction {gelman_rubin(series):.3f}")


def main():
    args = parse_arguments()
    for number, target in enumerate([Gaussian(), Banana(), Mixture()]):
        sampler = Metropolis(target, args.chains, seed=args.seed + number)
        sampler.tune(rounds=4)
        path = sampler.run(args.steps)
        report(target, path, sampler.acceptance())


if __name__ == "__main__":
    main()
