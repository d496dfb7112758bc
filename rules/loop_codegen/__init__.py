"""How loops are written for JAX: carried functions, scans, `vmap`, code on whole arrays."""
