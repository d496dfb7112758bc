"""`if` and conditional expressions on traced values."""
