"""Source transformations that run before the rules: desugaring, outlining, unswitching."""
