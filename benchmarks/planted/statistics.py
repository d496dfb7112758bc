"""Statistics: scores, weights, outliers, ranks."""

import numpy as np


def standardize(x):
    """Columns with mean 0 and deviation 1; constant columns become 0."""
    mean = x.mean(axis=0)
    deviation = x.std(axis=0)
    deviation = np.where(deviation == 0, 1.0, deviation)
    return (x - mean) / deviation


def winsorize(x, low, high):
    """Move outliers to the limits, and count them."""
    outside = (x < low) | (x > high)
    return np.minimum(np.maximum(x, low), high), np.sum(outside)


def huber(residual, delta):
    """Huber's loss."""
    size = np.abs(residual)
    return np.sum(np.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta)))


def weighted_mean(x, weights):
    """The mean with weights; 0 if no weight is positive."""
    total = 0.0
    mass = 0.0
    for i in range(len(x)):
        if weights[i] > 0:
            total += weights[i] * x[i]
            mass += weights[i]
    return total / mass if mass > 0 else 0.0


def ranks(x):
    """The rank of each number, from 1; equal numbers share the mean of their ranks."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        below, equal = 0, 0
        for j in range(len(x)):
            if x[j] < x[i]:
                below += 1
            elif x[j] == x[i]:
                equal += 1
        out[i] = below + (equal + 1) / 2
    return out


def empirical_cdf(sample, points):
    """The share of the sample that is not above each point."""
    out = np.zeros(len(points))
    for k in range(len(points)):
        out[k] = np.sum(sample <= points[k]) / len(sample)
    return out


def auc(scores, labels):
    """The area under the ROC curve; ties count one half, and 0.5 if a class is missing."""
    wins, pairs = 0.0, 0
    for i in range(len(scores)):
        for j in range(len(scores)):
            if labels[i] > 0 and labels[j] <= 0:
                pairs += 1
                if scores[i] > scores[j]:
                    wins += 1.0
                elif scores[i] == scores[j]:
                    wins += 0.5
    if pairs == 0:
        return 0.5
    return wins / pairs


def drawdown(prices):
    """The largest fall from a peak, and where it ends."""
    peak = prices[0]
    worst, where = 0.0, 0
    for i in range(len(prices)):
        if prices[i] > peak:
            peak = prices[i]
        fall = peak - prices[i]
        if fall > worst:
            worst = fall
            where = i
    return worst, where
