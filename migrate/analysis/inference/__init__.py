"""The kinds, dtypes and ranks of parameters and results: from annotations, from usage, from the table of NumPy."""
