"""Run a program of one or more modules, before and after conversion, and compare everything observable."""

import sys
import types
import warnings
from contextlib import contextmanager

import jax
import numpy as np

from np2jax.runtime_shim.draws import jax_draws, numpy_generators
from np2jax.runtime_shim.draws.tape import TAPE
from np2jax.tests.helpers.differential import compare_values, convert_project

ROUNDED = {"": 0.0, "float32": 2e-5, "complex64": 2e-5, "float16": 1e-2}  # by the narrowest dtype that a program mentions
NOT_COMPARED = (types.FunctionType, types.ModuleType, type, np.vectorize)


class NumpyRaises(Exception):
    """The program does not run under NumPy either, so there is nothing to compare."""


@contextmanager
def taped():
    """Record the draws of numpy.random for jax.random to replay; `check_program` needs that for random programs."""
    modules = (np.random, np.random.mtrand, np.random._generator, jax.random)
    before = [dict(vars(module)) for module in modules]
    numpy_generators.install()
    jax_draws.install(jax.random)
    try:
        yield
    finally:
        TAPE.stop()
        for module, names in zip(modules, before, strict=True):
            vars(module).update(names)


def check_program(sources, random=False):
    """Convert, and compare all variables of all modules at the end; return the outcomes of the functions.

    `sources`: {"pkg/a.py": text}, in the order of execution. With `random`, under `taped`, the converted program replays the
    draws of the original and must make all of them. Raises NumpyRaises, or AssertionError if the versions differ.
    """
    texts, functions, _diagnostics = convert_project(sources)
    if random:
        TAPE.record()
    try:
        before = run_modules(sources)
    except Exception as error:
        raise NumpyRaises(repr(error)) from error
    shown = "\n".join(f"# --- {name}\n{text}" for name, text in texts.items())
    if random:
        TAPE.replay(TAPE.bases)
    try:
        after = run_modules(texts)
        jax.effects_barrier()
    except Exception as error:
        raise AssertionError(f"the converted program raises {type(error).__name__}: {str(error)[:300]}\n{shown}") from error
    if random:
        trouble = TAPE.finish()
        assert not trouble, f"{trouble}\n{shown}"
    rounded = max(error for dtype, error in ROUNDED.items() if dtype in "".join(["", *sources.values()]))
    for name, module in before.items():
        for variable, value in vars(module).items():
            if variable.startswith("_") or isinstance(value, NOT_COMPARED) or hasattr(value, "__wrapped__"):
                continue
            got = seen(vars(after[name]).get(variable))
            difference = compare_values(got, seen(value), f"{name}.{variable}", rounded=rounded)
            assert not difference, f"{difference}\n{shown}"
    return functions


def run_modules(sources):
    """Execute modules one after the other, as if each were imported; return {name: module}."""
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
    """A value in the form in which it is compared: objects as the dicts of their attributes."""
    if isinstance(value, (np.random.Generator, np.random.RandomState)) or is_key(value):
        return None  # the next draws of a stream are not compared
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(seen(v, depth + 1) for v in value)
    if isinstance(value, dict):
        return {k: seen(v, depth + 1) for k, v in value.items()}
    if hasattr(value, "__dict__") and not isinstance(value, (np.generic, jax.Array, *NOT_COMPARED)) and depth < 8:
        return {k: seen(v, depth + 1) for k, v in vars(value).items()}
    return value


def is_key(value):
    return isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)
