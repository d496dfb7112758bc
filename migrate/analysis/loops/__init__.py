"""Which loops can be compiled, and what they carry from one iteration to the next."""
