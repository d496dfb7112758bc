"""Code that asks a tracer for its value: it fails when JAX traces it."""
