"""A grid of cells that finds which particles are near each other without trying all pairs."""

import numpy as np

# With a cell's own particles, half of its neighbours are enough to see every pair once.
HALF_OF_NEIGHBOURS = [(0, 1), (1, -1), (1, 0), (1, 1)]


def cell_of(position, box, shape):
    """Row and column of every particle's cell, two integer arrays (n,)."""
    scaled = position / box * shape
    cells = np.floor(np.minimum(scaled, np.array(shape) - 1)).astype(int)
    np.maximum(cells, 0, out=cells)
    return cells[:, 0], cells[:, 1]


def members_by_cell(position, box, shape):
    """The particles in every cell: a dict from (row, column) to an array of indices."""
    rows, columns = cell_of(position, box, shape)
    members = {}
    for row in range(shape[0]):
        for column in range(shape[1]):
            inside = np.nonzero((rows == row) & (columns == column))[0]
            if inside.size > 0:
                members[row, column] = inside
    return members


def pairs_within(first, second):
    """All pairs of one particle from each of two cells, as two arrays of indices."""
    return np.repeat(first, len(second)), np.tile(second, len(first))


def candidate_pairs(position, box, shape):
    """Indices i, j of all pairs that share a cell or sit in neighbouring ones, each pair once."""
    members = members_by_cell(position, box, shape)
    left, right = [], []
    for (row, column), inside in members.items():
        upper, lower = np.triu_indices(len(inside), 1)
        left.append(inside[upper])
        right.append(inside[lower])
        for down, across in HALF_OF_NEIGHBOURS:
            nearby = members.get((row + down, column + across))
            if nearby is not None:
                i, j = pairs_within(inside, nearby)
                left.append(i)
                right.append(j)
    return np.concatenate(left), np.concatenate(right)
