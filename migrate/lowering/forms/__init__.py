"""Desugaring patterns: concise loops and branches, rewritten before the conversion into the plain statements they stand for.

Each form is one module: it matches a statement of a function and returns its replacement. The replacement means the same in
Python and NumPy, so the rest of the conversion sees ordinary loops over ranges, ordinary branches and ordinary lists.
"""
