"""Notebooks: their code cells as one Python text, and back."""
