"""A function with a branch on its argument, its slope, and a sum over many arguments."""

import numpy as np


def absolute_value(x):
    if x >= 0:
        return x
    else:
        return -x


def slope(function, x, h=1e-6):
    """Central difference of `function` at x."""
    return (function(x + h) - function(x - h)) / (2 * h)


def taxicab_norm(v):
    """Sum of the absolute values of a vector, shape (n,)."""
    total = 0.0
    for x in v:
        total += absolute_value(x)
    return total


def main():
    for x in np.linspace(-2.0, 2.0, 5):
        print("x = %5.2f  |x| = %.2f" % (x, absolute_value(x)))
    print("slope at -3: %.4f" % slope(absolute_value, -3.0))
    print("slope at  3: %.4f" % slope(absolute_value, 3.0))
    print("taxicab norm: %.4f" % taxicab_norm(np.array([3.0, -4.0, 0.5])))


if __name__ == "__main__":
    main()
