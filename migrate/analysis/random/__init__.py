"""The random state of one function: generators, seeds, draws, and the keys that each draw uses."""
