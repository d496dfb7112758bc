"""Numerics, pytrees and old names: what goes wrong in code that JAX runs without complaint."""
