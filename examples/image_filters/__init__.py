"""Classic filters for grey images: smoothing, edges, contrast, thresholds and shapes."""
