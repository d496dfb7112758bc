"""The abstract interpreter: it evaluates statements, expressions and calls over abstract values."""
