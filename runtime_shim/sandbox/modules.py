"""The modules of one tree as imported by a child process, and the names by which values are found again.

A class or function of the tree is named by its file, "pkg/mod.py::C.f", so that its counterpart in the other tree has the same
name. One of a library is named "module:f".
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..values.errors import ShimError

GENERATOR = "it is a generator"


class Tree:
    """A tree of Python files: `modules` maps each file to its import root (relative to `top`) and its dotted name."""

    def __init__(self, top: Path, modules: Mapping[str, Sequence[str]], paths: Sequence[str] = ()) -> None:
        self.top = top
        self.modules = modules
        self.paths = list(paths)
        self.system_path = [path for path in sys.path if path]
        self.root: str | None = None
        self.files: dict[str, str] = {}
        self.shadowed: dict[str, ModuleType] = {}

    def load(self, file: str) -> ModuleType:
        """Import the module of `file`, with its root first on the import path. Raises whatever the import raises."""
        root, module = self.modules[file]
        if root != self.root:
            self._enter(root)
        if file in self.shadowed:
            return self.shadowed[file]
        found = importlib.import_module(module)
        return found if self.file_of(found) == file else self._by_path(file, module)

    def _by_path(self, file: str, name: str) -> ModuleType:
        """Load a module whose name another loaded module already has, such as a `types.py`."""
        own = f"{name} of np2jax"
        spec = importlib.util.spec_from_file_location(own, self.top / file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[own] = module
        spec.loader.exec_module(module)
        self.shadowed[file] = module
        return module

    def _enter(self, root: str) -> None:
        """Switch to another root. Its modules may have the same names, so those of the previous root are unloaded."""
        for name in [name for name, module in sys.modules.items() if name != "__main__" and self.file_of(module)]:
            del sys.modules[name]
        self.shadowed.clear()
        folders = [str(self.top / root), str(self.top), *self.paths]
        sys.path[:] = [*dict.fromkeys(os.path.normpath(folder) for folder in folders), *self.system_path]
        importlib.invalidate_caches()
        self.root = root

    def file_of(self, module: ModuleType | None) -> str:
        """The file of a module of this tree, relative to it; "" for any other module."""
        path = getattr(module, "__file__", None)
        return self.relative(path) if isinstance(path, str) else ""

    def relative(self, path: str) -> str:
        """A path relative to the tree, "" if it is outside."""
        if path not in self.files:
            full, top = os.path.realpath(path), os.path.realpath(self.top)
            real = not path.startswith("<")  # "<frozen importlib>", "<string>"
            inside = real and full.startswith(top + os.sep) and "site-packages" not in full[len(top) :]
            self.files[path] = Path(full).relative_to(top).as_posix() if inside else ""
        return self.files[path]

    def locate(self, value: Any) -> str | None:
        """The name by which a class or function is found again, None if there is none."""
        qualname = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
        module = sys.modules.get(getattr(value, "__module__", None) or "builtins")
        try:
            if module is None or member(module, qualname) is not value:
                return None
        except AttributeError:
            return None
        file = self.file_of(module)
        return f"{file}::{qualname}" if file else f"{module.__name__}:{qualname}"

    def find(self, name: str) -> Any:
        """The value that `locate` named. Raises ShimError if it does not exist."""
        file, own, qualname = name.partition("::")
        if not own:
            file, _, qualname = name.partition(":")
        try:
            module = self.load(file) if own else importlib.import_module(file)
            return member(module, qualname) if qualname else module
        except (AttributeError, ImportError, KeyError):
            raise ShimError(f"{name} is not there") from None


def member(module: ModuleType, qualname: str) -> Any:
    """The attribute at a dotted path. Raises AttributeError."""
    value: Any = module
    for part in qualname.split("."):
        value = getattr(value, part)
    return value


def access(module: Any, name: str) -> str:
    """How its class gives a function, such as "it is a property"; "" for a method that is called on an instance, and outside of classes."""
    owner, _, last = name.rpartition(".")
    found = inspect.getattr_static(member(module, owner), last) if owner else None
    if isinstance(found, property | functools.cached_property):
        return "it is a property"
    if isinstance(found, staticmethod):
        return "it is a static method"
    return "it is a class method" if isinstance(found, classmethod) else ""


def kind_of(function: Any) -> str:
    """What a function makes instead of a result, in words; "" for an ordinary function."""
    if inspect.isgeneratorfunction(function):
        return GENERATOR
    if inspect.isasyncgenfunction(function):
        return "it is an asynchronous generator"
    return "it is a coroutine" if inspect.iscoroutinefunction(function) else ""


def resolve(module: Any, name: str, setter: bool = False) -> Any:
    """The function behind a qualified name; a method as the plain function with `self` or `cls`. Raises AttributeError.

    `setter`: for a property, the function that sets it, which has the same name.
    """
    owner, _, last = name.rpartition(".")
    if not owner:
        return getattr(module, name)
    found = inspect.getattr_static(member(module, owner), last)
    if isinstance(found, staticmethod | classmethod):
        return found.__func__
    if isinstance(found, property):
        return found.fset if setter and found.fset else found.fget
    return found.func if isinstance(found, functools.cached_property) else found
