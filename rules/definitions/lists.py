"""Loops over what may be a list of arrays, which need not have the same shape."""

from __future__ import annotations

SCAN = "_scan_items"
_SCAN = '''
def _scan_items(step, carry, items, reverse=False):
    """`lax.scan` over the rows of an array. Iterations over the arrays in a list, which may have different shapes, are written out."""
    if len(items) == 0:
        return carry, None
    if isinstance(items, (list, tuple)):
        if len(items) < 100 or len({getattr(item, "shape", None) for item in items}) > 1:
            for item in reversed(items) if reverse else items:
                carry, _ = step(carry, item)
            return carry, None
        items = jnp.asarray(items)
    return jax.lax.scan(step, carry, items, reverse=reverse)
'''

FORI = "_fori_items"
_FORI = '''
def _fori_items(low, high, step, carry, *lists):
    """`lax.fori_loop`. Iterations that index lists of arrays, which may have different shapes, are written out."""
    if any(isinstance(items, (list, tuple, dict)) or len(items) == 0 for items in lists) and high - low < 1000:
        for i in range(low, high):
            carry = step(i, carry)
        return carry
    return jax.lax.fori_loop(low, high, step, carry)
'''

SOURCES: dict[str, str] = {SCAN: _SCAN.strip() + "\n", FORI: _FORI.strip() + "\n"}
