"""numpy.fft."""

from __future__ import annotations

from .entry import Entry
from .forms import FLOAT64, jnp, under


def _fft(name: str, params: str, dtype: str) -> Entry:
    return jnp(
        name,
        params,
        target=f"jax.numpy.fft.{name}",
        arrays=("a",),
        dtype=dtype,
        rank="same",
        static=("n", "axis", "norm") if "n" in params.split() else ("s", "axes", "norm"),
        cast_for=FLOAT64,
    )


def _shift(name: str) -> Entry:
    return jnp(name, "x axes", target=f"jax.numpy.fft.{name}", arrays=("x",), dtype="same", rank="same", static=("axes",))


def _frequencies(name: str) -> Entry:
    return jnp(
        name,
        "n d device",
        target=f"jax.numpy.fft.{name}",
        drop_if={"device": ("None", "'cpu'")},
        unsupported=("device",),
        dtype="float64",
        rank="1",
        static=("n",),
    )


ENTRIES: dict[str, Entry] = under(
    "fft",
    {
        **{name: _fft(name, "a n axis norm out", "complex") for name in ("fft", "ifft", "rfft", "ihfft")},
        **{name: _fft(name, "a n axis norm out", "size") for name in ("irfft", "hfft")},
        **{name: _fft(name, "a s axes norm out", "complex") for name in ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "rfftn")},
        **{name: _fft(name, "a s axes norm out", "size") for name in ("irfft2", "irfftn")},
        "fftshift": _shift("fftshift"),
        "ifftshift": _shift("ifftshift"),
        "fftfreq": _frequencies("fftfreq"),
        "rfftfreq": _frequencies("rfftfreq"),
    },
)
