"""Devices: what waits for them, what moves between them and the host, and what measures the wrong time."""
