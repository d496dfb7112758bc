"""Names, calls, methods, types and exceptions of NumPy."""
