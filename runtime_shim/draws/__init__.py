"""Random draws on a tape: recorded from NumPy, replayed into JAX."""
