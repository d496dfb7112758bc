"""Updates in place, aliases, purity."""
