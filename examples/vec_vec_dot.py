"""A matrix-vector product written as one vector-vector product a row."""

import numpy as np


def vec_vec_dot(x, y):
    """vector-vector dot, ([a], [a]) -> []"""
    return np.dot(x, y)


def mat_vec(xx, y):
    """matrix-vector product, ([b, a], [a]) -> [b]"""
    out = np.empty(xx.shape[0])
    for i in range(xx.shape[0]):
        out[i] = vec_vec_dot(xx[i], y)
    return out


def main():
    x = np.array([1, 1, 2])
    y = np.array([2, 1, 1])
    print("one row:", vec_vec_dot(x, y))

    xx = np.array([[1, 1, 2], [1, 1, 2], [3, 0, 5]])
    print("all rows:", mat_vec(xx, y))
    print("same as a product of matrices:", np.allclose(mat_vec(xx, y), xx @ y))


if __name__ == "__main__":
    main()
