"""The abstract interpreter: statements, expressions and calls over abstract values."""
