"""The one table of NumPy knowledge: what every public name becomes in JAX."""
