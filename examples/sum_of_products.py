"""One line that a compiler can fuse into a single pass over memory: no product and no sum needs to be stored."""

import time

import numpy as np


def unoptimized_fn(x, y, z):
    return np.sum(x + y * z)


def main():
    n = 500_000
    x = np.linspace(0.0, 1.0, n)
    y = np.linspace(1.0, 2.0, n)
    z = np.cos(x)
    print("sum: %.4f" % unoptimized_fn(x, y, z))

    start = time.perf_counter()
    for _ in range(20):
        total = unoptimized_fn(x, y, z)
    elapsed = time.perf_counter() - start
    print("mean: %.8f" % (total / n))
    print("time: %.3f ms" % (elapsed / 20 * 1e3))


if __name__ == "__main__":
    main()
