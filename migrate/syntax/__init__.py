"""One parsed file: nodes, scopes, names, liveness, locations, edits of the syntax tree."""
