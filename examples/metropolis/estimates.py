"""Means and their errors from chains that are correlated in time."""

import numpy as np


def autocorrelation(series, longest):
    """Autocorrelation for lags 0 to `longest` - 1 of a series (steps, chains), averaged over the chains."""
    centred = series - series.mean()
    variance = np.mean(centred**2)
    steps = len(series)
    return np.array([np.mean(centred[lag:] * centred[: steps - lag]) / variance for lag in range(longest)])


def autocorrelation_time(series, longest=20):
    """How many steps make one independent draw: the sum of the autocorrelations until they are lost in the noise."""
    correlation = autocorrelation(series, longest)
    lost = np.argmax(correlation < 0.05)
    last = longest if lost == 0 else int(lost)
    return 1.0 + 2.0 * correlation[1:last].sum()


def mean_with_error(series):
    """The mean over a series (steps, chains), and its standard error from the means of the chains."""
    means = series.mean(axis=0)
    return means.mean(), means.std(ddof=1) / np.sqrt(len(means))


def gelman_rubin(series):
    """The potential scale reduction of chains (steps, chains): near 1 where they have forgotten their starts."""
    steps = len(series)
    within = series.var(axis=0, ddof=1).mean()
    between = steps * series.mean(axis=0).var(ddof=1)
    return np.sqrt((steps - 1) / steps + between / (steps * within))
