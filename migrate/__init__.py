"""How code is read, understood and rewritten; the command line."""
