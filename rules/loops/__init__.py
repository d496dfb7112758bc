"""Loops with carried values: `fori_loop`, `while_loop`, `scan`."""
