"""Python's `sum`, of what may be an array."""

from __future__ import annotations

SUM = "_sum"
_SUM = '''
def _sum(values):
    """Python's sum. Tracing it would unroll an array into its rows. The sum of small integers is as small, as in NumPy."""
    if isinstance(values, jax.Array):
        return jnp.sum(values, axis=0, dtype=jnp.result_type(values, 0))
    return sum(values)
'''

SOURCES: dict[str, str] = {SUM: _SUM.lstrip("\n")}
