"""Exits of loops, rewritten into flags and branches: `break`, `continue`, `return`, `raise` and the `else` of a loop."""
