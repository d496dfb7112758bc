"""One file rewritten: rules find, the engine edits, imports are settled."""
