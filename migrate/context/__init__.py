"""The answers that rules get about one unit: rules.context, implemented subject by subject."""
