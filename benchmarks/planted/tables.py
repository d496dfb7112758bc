"""Tables: dynamic programs, lookups, masks, scatter."""

import numpy as np


def edit_distance(a, b):
    """The number of edits between two sequences."""
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table[len(a), len(b)]


def tax(income):
    """A progressive tax by brackets."""
    out = np.zeros(len(income))
    for i in range(len(income)):
        if income[i] <= 0.0:
            out[i] = 0.0
        elif income[i] <= 10.0:
            out[i] = 0.1 * income[i]
        elif income[i] <= 40.0:
            out[i] = 1.0 + 0.2 * (income[i] - 10.0)
        else:
            out[i] = 7.0 + 0.4 * (income[i] - 40.0)
    return out


def accumulate(index, values, size):
    """Sums of the values by index; other indices are ignored."""
    out = np.zeros(size)
    for k in range(len(index)):
        if index[k] >= 0 and index[k] < size:
            out[index[k]] += values[k]
    return out


def binary_search(table, keys):
    """For each key the first position in a sorted table that is not below it."""
    out = np.zeros(len(keys), dtype=np.int64)
    for k in range(len(keys)):
        low, high = 0, len(table)
        while low < high:
            middle = (low + high) // 2
            if table[middle] < keys[k]:
                low = middle + 1
            else:
                high = middle
        out[k] = low
    return out


def cheapest_path(cost):
    """The cheapest way from the top row to each cell of the bottom row, moving down and at most one to the side."""
    best = cost[0].copy()
    for i in range(1, cost.shape[0]):
        row = np.empty_like(best)
        for j in range(cost.shape[1]):
            step = best[j]
            if j > 0:
                step = min(step, best[j - 1])
            if j < cost.shape[1] - 1:
                step = min(step, best[j + 1])
            row[j] = step + cost[i, j]
        best = row
    return best


def life(board):
    """One generation of the game of life, with dead cells around."""
    out = np.zeros_like(board)
    rows, cols = board.shape
    for i in range(rows):
        for j in range(cols):
            alive = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if (di != 0 or dj != 0) and 0 <= i + di < rows and 0 <= j + dj < cols:
                        alive += board[i + di, j + dj]
            if alive == 3 or (alive == 2 and board[i, j] == 1):
                out[i, j] = 1
    return out


def running_balance(amounts, limit):
    """Balances after each booking; one that would go below minus the limit is refused and counted."""
    balance, refused = 0.0, 0
    out = np.zeros(len(amounts))
    for i in range(len(amounts)):
        if balance + amounts[i] < -limit:
            refused += 1
        else:
            balance += amounts[i]
        out[i] = balance
    return out, refused


def fill_gaps(x, most):
    """Carry the last number over NaNs, but not over more than `most` of them."""
    out = x.copy()
    age = 0
    for i in range(1, len(x)):
        if np.isnan(x[i]):
            age += 1
            if age <= most:
                out[i] = out[i - 1]
        else:
            age = 0
    return out
