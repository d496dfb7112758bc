"""The order in which independent random numbers are drawn, and what depends on it."""
