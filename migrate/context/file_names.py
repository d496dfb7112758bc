"""The names that the output may use in one file."""

from __future__ import annotations

import re

import libcst as cst

from ...rules.definitions import DEFINITIONS, mentioned, needed
from ..summaries.units import Module
from ..syntax.names import fresh

# The names of JAX's modules in the output, longest first.
MODULES = (
    ("jax.scipy.special", "jax.scipy.special", "import jax.scipy.special"),
    ("jax.scipy.linalg", "jax.scipy.linalg", "import jax.scipy.linalg"),
    ("jax.scipy.stats", "jax.scipy.stats", "import jax.scipy.stats"),
    ("jax.numpy", "jnp", "import jax.numpy as jnp"),
    ("jax.lax", "lax", "from jax import lax"),
    ("functools", "functools", "import functools"),
    ("inspect", "inspect", "import inspect"),
    ("numpy", "np", "import numpy as np"),
    ("math", "math", "import math"),
    ("jax", "jax", "import jax"),
)


class FileNames:
    """The names that the output may use in one file: the names of JAX's modules, and fresh ones."""

    def __init__(self, module: Module) -> None:
        self.taken = {n.value for n in module.source.parents if type(n) is cst.Name}
        self.body = module.source.module.body
        self.definitions: dict[str, str] = {}
        self.second_names: dict[str, str] = {}
        self.cores: dict[str, str] = {}
        self.aliases: dict[str, tuple[str, str]] = {}
        exports = module.scopes.exports()
        for dotted, alias, line in MODULES:
            bound = exports.get(alias.partition(".")[0])
            if (
                alias.partition(".")[0] in self.taken
                and bound != dotted
                and not (bound is not None and dotted.startswith(bound + "."))
            ):
                existing = next((n for n, target in exports.items() if target == dotted), None)
                alias = existing or f"_{dotted.replace('.', '_')}"
                line = f"import {dotted} as {alias}"
            elif bound is None or bound != dotted:
                existing = next((n for n, target in exports.items() if target == dotted), None)
                if existing is not None:
                    alias, line = existing, ""
            self.aliases[dotted] = (alias, line)

    def defined(self, name: str) -> str:
        """The name of a function of rules.definitions in this file: that of an identical function if the file defines one."""
        for known in needed([name]):
            if known not in self.definitions:
                self.definitions[known] = known
                self.definitions[known] = known if self._defines(known) else self.fresh(known)
        return self.definitions[name]

    def _defines(self, name: str) -> bool:
        return any(
            type(s) is cst.FunctionDef
            and s.name.value == name
            and cst.Module([s.with_changes(leading_lines=())]).code == self.definition(name)
            for s in self.body
        )

    def definition(self, name: str) -> str:
        """The source of a function of rules.definitions, written with the names of this file."""
        text = DEFINITIONS[name]
        for module, alias in (("jax.numpy", "jnp"), ("functools", "functools"), ("jax", "jax"), ("numpy", "np")):
            text = re.sub(rf"(?<![\w.]){alias}\.", f"{self.aliases[module][0]}.", text)
        for other in mentioned(text):
            text = re.sub(rf"\b{other}\b", self.defined(other), text)
        return text

    def donating(self, function: str) -> str:
        """The second name of a function of the file, used by calls that may overwrite their arguments."""
        if function not in self.second_names:
            self.second_names[function] = self.fresh(f"{function.rpartition('.')[2]}_in_place")
        return self.second_names[function]

    def core(self, dotted: str, stem: str) -> str:
        """The name under which the file imports the core of a function of another file."""
        if dotted not in self.cores:
            self.cores[dotted] = self.fresh(stem)
        return self.cores[dotted]

    def fresh(self, stem: str) -> str:
        return fresh(stem, self.taken)
