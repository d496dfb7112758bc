"""Snapshots of values: taken, restored, sent, compared; records of calls."""
