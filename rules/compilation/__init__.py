"""What `jit` compiles, what keeps it away, and what makes compiled code faster."""
