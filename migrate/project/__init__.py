"""Conversion in memory, from paths to results: settings, discovery, workers, the pipeline."""
