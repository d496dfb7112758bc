"""Signals: peaks, thresholds, resampling, envelopes."""

import numpy as np


def peaks(x, threshold):
    """A mark at each local maximum that is not below the threshold; of equal samples the first one counts."""
    marks = np.zeros(len(x), dtype=bool)
    for i in range(1, len(x) - 1):
        if x[i] > x[i - 1] and x[i] >= x[i + 1] and x[i] >= threshold:
            marks[i] = True
    return marks


def debounce(x, up, down):
    """The state of a Schmitt trigger."""
    state = 0
    out = np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        if state == 0 and x[i] > up:
            state = 1
        elif state == 1 and x[i] < down:
            state = 0
        out[i] = state
    return out


def soft_threshold(x, level):
    """Shrink towards zero."""
    return np.sign(x) * np.maximum(np.abs(x) - level, 0.0)


def zero_crossings(x):
    """How often the sign changes; zero counts as positive."""
    count = 0
    for i in range(1, len(x)):
        if (x[i - 1] < 0.0) != (x[i] < 0.0):
            count += 1
    return count


def envelope(x, attack, release):
    """A follower that rises faster than it falls."""
    out = np.empty_like(x)
    level = 0.0
    for i in range(len(x)):
        target = abs(x[i])
        rate = attack if target > level else release
        level = level + rate * (target - level)
        out[i] = level
    return out


def moving_mean(x, width):
    """The mean of the last `width` samples, or of those that are there."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        first = max(0, i - width + 1)
        out[i] = x[first : i + 1].sum() / (i + 1 - first)
    return out


def interpolate(x, xs, ys):
    """Linear interpolation in a sorted table; constant outside."""
    out = np.zeros(len(x))
    for k in range(len(x)):
        if x[k] <= xs[0]:
            out[k] = ys[0]
        elif x[k] >= xs[-1]:
            out[k] = ys[-1]
        else:
            i = 0
            while xs[i + 1] < x[k]:
                i += 1
            t = (x[k] - xs[i]) / (xs[i + 1] - xs[i])
            out[k] = ys[i] + t * (ys[i + 1] - ys[i])
    return out


def quantize(x, step):
    """Round to multiples of a step; a step of zero changes nothing."""
    if step == 0:
        return x * 1.0
    return np.floor(x / step + 0.5) * step
