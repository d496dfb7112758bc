"""Grey values: stretch, correct and equalise them."""

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.float64]


def normalise(image: Image) -> None:
    """Stretch the grey values of `image` to fill 0 to 1, in place."""
    image -= image.min()
    top = image.max()
    if top > 0:
        image /= top


def gamma_correct(image: Image, gamma: float, out: Image | None = None) -> Image:
    """Brighten (gamma < 1) or darken (gamma > 1)."""
    if out is None:
        out = np.empty_like(image)
    np.clip(image, 0.0, 1.0, out=out)
    np.power(out, gamma, out=out)
    return out


def histogram(image: Image, bins: int = 64) -> npt.NDArray[np.int64]:
    """Number of pixels in each of `bins` equal ranges of grey values."""
    levels = np.minimum((image * bins).astype(int), bins - 1)
    counts = np.zeros(bins, dtype=int)
    np.add.at(counts, levels.ravel(), 1)
    return counts


def equalise(image: Image, bins: int = 64) -> Image:
    """Spread the grey values so that all are about equally frequent."""
    counts = histogram(image, bins)
    cumulative = np.cumsum(counts).astype(float)
    cumulative -= cumulative[0]
    cumulative /= cumulative[-1]
    edges = np.linspace(0.0, 1.0, bins)
    return np.interp(image.ravel(), edges, cumulative).reshape(image.shape)


def to_bytes(image: Image) -> npt.NDArray[np.uint8]:
    """Grey values as they are stored in files, 0 to 255."""
    return np.clip(np.rint(image * 255), 0, 255).astype(np.uint8)
