"""The random state of one function: generators, seeds, draws, and the key of each draw."""
