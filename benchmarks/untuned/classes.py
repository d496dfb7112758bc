"""Classes that keep arrays as attributes."""

import numpy as np


class Running:
    """Mean and covariance of rows that arrive one at a time (Welford)."""

    def __init__(self, size):
        self.count = 0
        self.mean = np.zeros(size)
        self.products = np.zeros((size, size))

    def add(self, row):
        self.count += 1
        before = row - self.mean
        self.mean = self.mean + before / self.count
        self.products += np.outer(before, row - self.mean)

    def covariance(self):
        if self.count < 2:
            raise ValueError("too few rows")
        return self.products / (self.count - 1)


def covariance(rows):
    running = Running(rows.shape[1])
    for row in rows:
        running.add(row)
    return running.mean, running.covariance()


class Descent:
    """Base of the optimizers: the loop is here, the step in the children."""

    def __init__(self, rate):
        self.rate = rate

    def step(self, gradient):
        raise NotImplementedError

    def fit(self, x, y, steps):
        w = np.zeros(x.shape[1])
        losses = []
        for _ in range(steps):
            error = x @ w - y
            losses.append(np.mean(error**2))
            w = w + self.step(x.T @ error / len(y))
        return w, np.array(losses)


class Momentum(Descent):
    def __init__(self, rate, decay=0.9):
        super().__init__(rate)
        self.decay = decay
        self.speed = 0.0

    def step(self, gradient):
        self.speed = self.decay * self.speed - self.rate * gradient
        return self.speed


class Adam(Descent):
    def __init__(self, rate):
        super().__init__(rate)
        self.first, self.second, self.count = 0.0, 0.0, 0

    def step(self, gradient):
        self.count += 1
        self.first = 0.9 * self.first + 0.1 * gradient
        self.second = 0.999 * self.second + 0.001 * gradient**2
        first = self.first / (1 - 0.9**self.count)
        return -self.rate * first / (np.sqrt(self.second / (1 - 0.999**self.count)) + 1e-8)


class Ring:
    """The last values in a buffer that is changed in place."""

    def __init__(self, size):
        self.data = np.zeros(size)
        self.at = 0

    def push(self, value):
        self.data[self.at] = value
        self.at = (self.at + 1) % len(self.data)

    def mean(self):
        return self.data.mean()


def moving(x, size):
    ring = Ring(size)
    out = np.empty(len(x))
    for i, value in enumerate(x):
        ring.push(value)
        out[i] = ring.mean()
    return out
