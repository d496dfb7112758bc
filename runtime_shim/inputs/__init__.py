"""Generated arguments: hints from the source, samples, edge cases, signature search."""
