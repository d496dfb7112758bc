"""The command line, its reports, and the functions behind `np2jax.convert` and `np2jax.lint`."""
