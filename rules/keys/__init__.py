"""Random keys: each may be used once."""
