"""Rewriting of one file: rules find, the engine edits, imports are finalized."""
