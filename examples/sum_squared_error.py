"""The sum of squared errors with its gradient worked out by hand, and a fit that follows it downhill."""

import numpy as np


def sum_squared_error(x, y):
    return np.sum((x - y) ** 2)


def sum_squared_error_dx(x, y):
    """Gradient of sum_squared_error with respect to x."""
    return 2 * (x - y)


def squared_error_with_aux(x, y):
    """The error, and the residuals that it is made of."""
    return sum_squared_error(x, y), x - y


def descend(x, y, step_size, steps):
    """Move x towards y in place, against the gradient; return the error after every step."""
    errors = np.zeros(steps)
    for step in range(steps):
        x -= step_size * sum_squared_error_dx(x, y)
        errors[step] = sum_squared_error(x, y)
    return errors


def main():
    x = np.asarray([1.0, 2.0, 3.0, 4.0])
    y = np.asarray([1.1, 2.1, 3.1, 4.1])
    print("error %.6f" % sum_squared_error(x, y))
    print("gradient", np.round(sum_squared_error_dx(x, y), 6).tolist())
    error, residuals = squared_error_with_aux(x, y)
    print("residuals of %.6f:" % error, np.round(residuals, 6).tolist())

    errors = descend(x, y, step_size=0.1, steps=10)
    print("errors while descending", np.round(errors, 8).tolist())
    print("x is now", np.round(x, 6).tolist())


if __name__ == "__main__":
    main()
