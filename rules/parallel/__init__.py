"""Loops whose iterations are independent: reductions, prefix sums, maps."""
