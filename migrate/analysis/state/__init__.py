"""The lattice of values and the state of the abstract interpreter."""
