"""Charges on a line: the function that docs/architecture.md follows through all passes."""

import numpy as np


def arrange(charge: np.ndarray, noise: float, rounds: int, repel: float):
    charge /= charge.sum()
    x = np.linspace(0.0, 1.0, len(charge)) + noise * np.random.normal(size=len(charge))
    energy = 0.0
    for i in range(len(x)):
        for j in range(i):
            energy += charge[i] * charge[j] / np.abs(x[i] - x[j])
    history = [energy]
    for _ in range(rounds):
        force = np.zeros_like(x)
        for i in range(1, len(x)):
            if repel > 0.0:
                force[i] = repel * charge[i] / (x[i] - x[i - 1])
            else:
                force[i] = charge[i] * (x[i] - x[i - 1])
        x = x + 0.001 * force
        history.append(np.sum(force**2))
    spread = np.array([np.abs(x - point).max() for point in x])
    return x, np.array(history), spread
