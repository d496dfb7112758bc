"""Facts across units: classes, indirect calls, keys, and which functions are left as NumPy."""
