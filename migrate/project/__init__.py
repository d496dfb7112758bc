"""From paths to a conversion in memory: settings, discovery, workers, the pipeline."""
