"""What is known of JAX and of the libraries around it: transformations, array functions, random functions, effects, old names."""
