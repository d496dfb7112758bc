"""Checks for your own code: `assert_equivalent` in tests, `shadow` in production. They load JAX when they are first called."""

from __future__ import annotations

from .runtime_shim.testing.shadow import shadow as shadow
from .runtime_shim.verification.verify import assert_equivalent as assert_equivalent

__all__ = ["assert_equivalent", "shadow"]
