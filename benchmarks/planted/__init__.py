"""Kernels of many fields in plain NumPy: `benchmarks/planted.py` converts them and plants bugs in the conversions."""
