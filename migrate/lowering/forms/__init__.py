"""Loops and branches that Python writes shortly, in the plain statements that they stand for, before anything is converted.

Each form is one module: it looks at a statement of a function, and says what stands there instead. What it writes means the same
in Python and NumPy, so that the rest of the conversion sees ordinary loops over ranges, ordinary branches and ordinary lists.
"""
