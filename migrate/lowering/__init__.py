"""Transformations of source text ahead of the rules: desugaring, outlining, unswitching."""
