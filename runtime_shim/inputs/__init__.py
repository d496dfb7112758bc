"""Made-up arguments: hints from the source, samples, edge cases, search."""
