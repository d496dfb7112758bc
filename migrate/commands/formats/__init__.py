"""The formats in which `np2jax lint` prints its findings, one module each."""
