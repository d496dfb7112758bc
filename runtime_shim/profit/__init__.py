"""Whether JAX pays: both versions of each function are timed, at several sizes."""
