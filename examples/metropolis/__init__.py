"""A Metropolis sampler: a class with a generator of its own, distributions to sample from, and error bars."""
