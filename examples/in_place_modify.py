"""A function that changes its argument, and a caller that relies on it."""

import numpy as np


def in_place_modify(x):
    x[0] = 123
    return None


def modify_rows(table):
    """Change the first column of `table`; return how much its sum has grown."""
    before = table.sum()
    for i in range(len(table)):
        in_place_modify(table[i])
    return table.sum() - before


def main():
    x = np.array([1, 2, 3])
    in_place_modify(x)
    print(x)

    table = np.arange(6).reshape(3, 2)
    growth = modify_rows(table)
    print(table.tolist(), "grew by", growth)


if __name__ == "__main__":
    main()
