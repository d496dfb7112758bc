"""Masks in place of slices of varying length, and the rules about such slices and boolean masks."""
