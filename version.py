"""The version of np2jax."""

__version__ = "0.1.0"
