"""A multilayer perceptron that learns to read generated digits, as in the article on MLPs with JAX."""
