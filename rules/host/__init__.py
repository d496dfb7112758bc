"""Values that pass between code left as NumPy and code converted to JAX."""
