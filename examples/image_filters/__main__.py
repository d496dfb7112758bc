"""Filter a generated image and print what came out: `python -m image_filters` from the folder above."""

import numpy as np

from .edges import hysteresis, sobel, thin
from .images import add_noise, scene
from .intensity import equalise, gamma_correct, histogram, normalise, to_bytes
from .shapes import bounding_box, centroid, closed, dilate, erode, opened, otsu_threshold
from .smoothing import gaussian, median, unsharp_mask


def describe(name, image):
    print(f"{name:14} mean {image.mean():.6f}  std {image.std():.6f}  min {image.min():.6f}  max {image.max():.6f}")


def error(image, truth):
    """Root of the mean squared difference."""
    return np.sqrt(np.mean((image - truth) ** 2))


def main():
    truth = scene(96, 128)
    noisy = add_noise(truth, np.random.default_rng(3), sigma=0.05, fraction=0.04)
    describe("noisy", noisy)

    cleaned = median(noisy, radius=1)
    smooth = gaussian(cleaned, sigma=1.0)
    sharp = unsharp_mask(smooth, sigma=2.0, amount=0.7)
    for name, image in [("median", cleaned), ("gaussian", smooth), ("unsharp", sharp)]:
        describe(name, image)
        print(f"{'':14} error {error(image, truth):.6f}")

    bright = gamma_correct(smooth, 0.5)
    describe("gamma", bright)
    gamma_correct(bright, 2.0, out=bright)
    print("gamma and back:", np.allclose(bright, smooth))
    normalise(smooth)
    describe("normalised", smooth)
    flat = equalise(smooth)
    describe("equalised", flat)
    print("histogram", histogram(flat, 8).tolist())

    strength, direction = sobel(smooth)
    normalise(strength)
    thinned = thin(strength, direction)
    edges = hysteresis(thinned, 0.1, 0.3)
    print("edge pixels:", np.count_nonzero(strength > 0.3), "thinned to", np.count_nonzero(edges))

    threshold = otsu_threshold(smooth)
    mask = smooth > threshold
    tidy = closed(opened(mask, 1), 2)
    outline = dilate(tidy) & ~erode(tidy)
    print(f"threshold {threshold:.6f}, white {mask.mean():.6f}, tidy {tidy.mean():.6f}, outline {np.count_nonzero(outline)}")
    row, column = centroid(tidy)
    print(f"centroid {row:.6f} {column:.6f}, box {bounding_box(tidy)}")

    smooth[outline] = 1.0
    stored = to_bytes(smooth)
    print("bytes", stored.dtype, int(stored.sum()), stored[40, ::16].tolist())


if __name__ == "__main__":
    main()
