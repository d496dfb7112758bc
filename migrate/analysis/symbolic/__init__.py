"""Integer expressions in affine form: what is proven of indices, bounds and subscripts."""
