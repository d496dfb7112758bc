"""Facts between units: classes, indirect calls, keys, and which functions stay NumPy."""
