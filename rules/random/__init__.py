"""Keys in place of random state: parameters, splits, draws, seeds."""
