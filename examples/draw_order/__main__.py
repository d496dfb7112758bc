"""Draw in either order from the same seed: `python -m draw_order` from the folder above.

NumPy's state changes with each draw, so that the two sums differ. With keys each function draws the same in either order.
"""

import numpy as np

from .draws import foo, foo_in_the_other_order


def main():
    np.random.seed(0)
    print(f"bar first: {foo():.6f}")
    np.random.seed(0)
    print(f"baz first: {foo_in_the_other_order():.6f}")


if __name__ == "__main__":
    main()
