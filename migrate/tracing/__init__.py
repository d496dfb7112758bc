"""Which code of a JAX program is traced, and what happens there: an abstract interpreter over Python's own syntax trees."""
