"""Which branches and early exits can be compiled, and what may be computed speculatively."""
