"""What may be said about a piece of code: one rule a file, and the table of NumPy knowledge."""
