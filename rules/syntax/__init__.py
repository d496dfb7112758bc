"""Walks over syntax trees, and builders for expressions and statements."""
