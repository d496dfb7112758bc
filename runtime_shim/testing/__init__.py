"""Both versions beside each other in the user's own runs: in tests, and in production."""
