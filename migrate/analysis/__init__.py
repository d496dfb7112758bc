"""The abstract interpreter: what is known of each expression, and which memory each update changes."""
