"""The results of the analysis: frozen data that rules and code generation read."""
