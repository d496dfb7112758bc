"""What passes between code that stays NumPy and code that is JAX."""
