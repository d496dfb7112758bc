"""What a converted function assumes of its inputs: one module for each kind of condition."""
