"""Loops whose iterations are independent: dependence, reductions, scans, distribution."""
