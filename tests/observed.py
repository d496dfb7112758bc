"""Run a program of one or more modules, before and after conversion, and compare everything that can be seen of it."""

import sys
import types
import warnings

import jax
import numpy as np

from np2jax.tests.differential import compare_values, convert_project

NOT_COMPARED = (types.FunctionType, types.ModuleType, type, np.vectorize)


class NumpyRaises(Exception):
    """The program does not run under NumPy either: nothing to compare."""


def check_program(sources):
    """Convert and compare all variables of all modules at the end; returns the outcomes of its functions.

    `sources`: {"pkg/a.py": text}, in the order in which they are run. Raises NumpyRaises, or AssertionError where it differs.
    """
    texts, functions, _diagnostics = convert_project(sources)
    try:
        before = run_modules(sources)
    except Exception as error:
        raise NumpyRaises(repr(error)) from error
    shown = "\n".join(f"# --- {name}\n{text}" for name, text in texts.items())
    try:
        after = run_modules(texts)
    except Exception as error:
        raise AssertionError(f"the converted program raises {type(error).__name__}: {str(error)[:300]}\n{shown}") from error
    for name, module in before.items():
        for variable, value in vars(module).items():
            if variable.startswith("_") or isinstance(value, NOT_COMPARED) or hasattr(value, "__wrapped__"):
                continue
            difference = compare_values(seen(vars(after[name]).get(variable)), seen(value), f"{name}.{variable}")
            assert not difference, f"{difference}\n{shown}"
    return functions


def run_modules(sources):
    """Execute modules one after the other, as if each was imported; {name: module}."""
    modules = {}
    for path in sources:
        name = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        module = modules[name] = types.ModuleType(name)
        package = path.endswith("__init__.py")
        module.__package__ = name if package else name.rpartition(".")[0]
        if package:
            module.__path__ = []
    replaced = {name: sys.modules.get(name) for name in modules}
    try:
        for (name, module), text in zip(modules.items(), sources.values(), strict=True):
            sys.modules[name] = module
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                exec(compile(text, f"<{name}>", "exec"), module.__dict__)
            owner, _dot, short = name.rpartition(".")
            if owner:
                setattr(modules[owner], short, module)
    finally:
        for name, module in replaced.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
    return modules


def seen(value, depth=0):
    """A value as it is compared: objects as the dicts of their attributes."""
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(seen(v, depth + 1) for v in value)
    if isinstance(value, dict):
        return {k: seen(v, depth + 1) for k, v in value.items()}
    if hasattr(value, "__dict__") and not isinstance(value, (np.generic, jax.Array, *NOT_COMPARED)) and depth < 8:
        return {k: seen(v, depth + 1) for k, v in vars(value).items()}
    return value
