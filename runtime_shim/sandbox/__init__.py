"""Child processes that run user code, and the parent's side of them."""
