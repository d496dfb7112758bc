"""Small programs as people write them who never thought of JAX: `benchmarks/workloads.py` converts, times and compares them."""
