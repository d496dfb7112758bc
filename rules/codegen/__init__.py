"""How calls, changed arrays and choices between values are written for JAX."""
