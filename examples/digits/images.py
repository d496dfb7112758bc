"""Images of digits, made of a font of 5 by 7 dots: shifted, of several strengths, slanted and noisy."""

import numpy as np

SIDE = 28
DOT = 3
FONT = """
.###. ..#.. .###. ##### ...#. ##### ..##. ##### .###. .###.
#...# .##.. #...# ...#. ..##. #.... .#... ....# #...# #...#
#..## ..#.. ....# ..#.. .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ...#. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ...#.
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .##..
"""


def glyphs():
    """Digits 0 to 9 as dots, shape (10, 7, 5)."""
    rows = [line.split() for line in FONT.split("\n") if line]
    dots = [[[float(dot == "#") for dot in row[digit]] for row in rows] for digit in range(10)]
    return np.array(dots)


def smooth(images):
    """Each pixel becomes the mean of itself (twice) and its neighbours to the left and right, then above and below."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    along = (padded[:, :, :-2] + 2 * padded[:, :, 1:-1] + padded[:, :, 2:]) / 4
    return (along[:, :-2] + 2 * along[:, 1:-1] + along[:, 2:]) / 4


def make_digits(num_images, noise=0.2):
    """Images (num_images, 784) of mean 0 and variance 1, and the digit that each shows."""
    labels = np.random.randint(0, 10, num_images)
    top = np.random.randint(1, 7, num_images)
    left = np.random.randint(2, 11, num_images)
    slant = np.random.uniform(-0.2, 0.2, num_images)
    strength = np.random.uniform(0.6, 1.0, num_images)

    row = np.arange(SIDE)[None, :, None] - top[:, None, None]
    shift = np.round(slant[:, None, None] * (row - 10)).astype(int)
    column = np.arange(SIDE)[None, None, :] - left[:, None, None] - shift
    inside = (row >= 0) & (row < 7 * DOT) & (column >= 0) & (column < 5 * DOT)
    dots = glyphs()[labels[:, None, None], np.clip(row // DOT, 0, 6), np.clip(column // DOT, 0, 4)]
    images = smooth(np.where(inside, dots, 0.0) * strength[:, None, None])
    images += noise * np.random.randn(num_images, SIDE, SIDE)
    images = (images - images.mean()) / images.std()
    return images.reshape(num_images, SIDE * SIDE), labels
