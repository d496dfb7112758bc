"""A choice between an integer and a float."""

from __future__ import annotations

PROMOTED_COND = "_promoted_cond"
_PROMOTED_COND = '''
def _promoted_cond(condition, yes, no):
    """`lax.cond`, which refuses values of different dtypes: both get the dtype to which NumPy promotes them."""
    dtypes = jax.tree.map(jnp.result_type, jax.eval_shape(yes), jax.eval_shape(no))
    values = [lambda arm=arm: jax.tree.map(jnp.asarray, arm(), dtypes) for arm in (yes, no)]
    return jax.lax.cond(condition, *values)
'''

SOURCES: dict[str, str] = {PROMOTED_COND: _PROMOTED_COND.strip() + "\n"}
