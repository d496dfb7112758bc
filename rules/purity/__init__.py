"""Effects of code that JAX traces: they happen once, when it traces, and not when the compiled code runs."""
