"""np2jax turns a NumPy code base into JAX, runs both versions, and says where they differ.

The names below are loaded when they are first asked for: `import np2jax` imports neither LibCST nor JAX.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .migrate.commands.convert import convert as convert
    from .migrate.commands.lint import lint as lint

_HOME = {
    "convert": ".migrate.commands.convert",
    "lint": ".migrate.commands.lint",
    "record": ".runtime_shim.verification.record",
    "verify": ".runtime_shim.verification.verify",
    "assert_equivalent": ".runtime_shim.verification.verify",
}
__all__ = ["assert_equivalent", "convert", "lint", "record", "verify"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'np2jax' has no attribute {name!r}")
    return getattr(import_module(_HOME[name], __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
