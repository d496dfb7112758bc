"""In-place updates, aliases, purity."""
