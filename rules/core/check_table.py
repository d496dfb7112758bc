"""The checks of a rule or a condition, by the types of nodes or events that they look at. Without LibCST, as `lint_rules`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, Generic, TypeVar

C = TypeVar("C", bound=Callable[..., Any])


class CheckTable(Generic[C]):
    def __init__(self) -> None:
        self.checks: dict[type[Any], list[C]] = {}

    def on(self, *types: type[Any]) -> Callable[[C], C]:
        """Register a check of nodes, or events, of some types."""

        def register(check: C) -> C:
            for each in types:
                self.checks.setdefault(each, []).append(check)
            return check

        return register


def import_modules(folder: str) -> None:
    """Import the modules of a folder of `rules`, each of which registers itself."""
    rules = importlib.import_module("..", __package__)
    package = importlib.import_module(f"{rules.__name__}.{folder}")
    for info in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{info.name}")
