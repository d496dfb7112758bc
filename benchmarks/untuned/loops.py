"""Loops over the items of arrays."""

import numpy as np


def common_length(a, b):
    """The length of the longest common subsequence."""
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


def monotone(y):
    """Isotonic regression by pooling neighbours."""
    level, weight = [], []
    for value in y:
        level.append(float(value))
        weight.append(1)
        while len(level) > 1 and level[-2] > level[-1]:
            total = weight[-2] + weight[-1]
            mean = (level[-2] * weight[-2] + level[-1] * weight[-1]) / total
            level[-2:], weight[-2:] = [mean], [total]
    return np.repeat(level, weight)


def runs(x):
    """Run lengths."""
    starts, lengths = [], []
    at = 0
    while at < len(x):
        end = at
        while end < len(x) and x[end] == x[at]:
            end += 1
        starts.append(at)
        lengths.append(end - at)
        at = end
    return np.array(starts), np.array(lengths)


def knapsack(weights, values, capacity):
    """The best value of each capacity."""
    best = np.zeros(capacity + 1)
    for w, v in zip(weights, values, strict=True):
        for c in range(capacity, w - 1, -1):
            best[c] = max(best[c], best[c - w] + v)
    return best


def collatz(n):
    """The number of steps to one."""
    steps = np.zeros(n, dtype=int)
    for start in range(1, n):
        k = start
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps[start] += 1
    return steps


def radical_inverse(n, base):
    """The van der Corput sequence."""
    out = np.empty(n)
    for i in range(n):
        k, f, r = i, 1.0, 0.0
        while k > 0:
            f /= base
            k, digit = divmod(k, base)
            r += f * digit
        out[i] = r
    return out


def smoothed(x, alpha, beta):
    """Holt's double exponential smoothing."""
    level, trend = x[0], x[1] - x[0]
    rows = []
    for value in x:
        before = level
        level = alpha * value + (1 - alpha) * (level + trend)
        trend = beta * (level - before) + (1 - beta) * trend
        rows.append([level, trend])
    return np.array(rows)


def label(image):
    """The number of the component of each set pixel, row by row with a queue."""
    out = np.zeros(image.shape, dtype=int)
    count = 0
    for i, j in np.argwhere(image):
        if out[i, j]:
            continue
        count += 1
        queue = [(i, j)]
        while queue:
            a, b = queue.pop()
            if 0 <= a < image.shape[0] and 0 <= b < image.shape[1] and image[a, b] and not out[a, b]:
                out[a, b] = count
                queue += [(a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)]
    return out, count
