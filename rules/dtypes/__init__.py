"""How dtypes promote in NumPy and in JAX, and the rules about what differs."""
