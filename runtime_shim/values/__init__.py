"""Snapshots of values: frozen, thawed, sent, compared; records of calls."""
