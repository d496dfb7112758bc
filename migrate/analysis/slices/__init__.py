"""Slices with dynamic bounds and boolean masks: what each selects, and how axes are aligned."""
