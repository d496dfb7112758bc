"""How calls, array updates and selects are written for JAX."""
