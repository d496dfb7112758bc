"""Writing, copying and checking files, and the cache between runs."""
