"""Walks over syntax trees, and builders of expressions and statements."""
