"""What the analysis finds out about code: frozen data, which rules and code generation read."""
