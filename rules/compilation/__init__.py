"""What `jit` compiles, what prevents it, and what makes compiled code faster."""
