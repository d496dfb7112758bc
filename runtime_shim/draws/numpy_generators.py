"""Generators that replace those of numpy.random, so that their draws go over the tape.

`install` replaces the names under which programs find generators. Generators that exist already are left alone.
"""

from __future__ import annotations

import itertools
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from .numpy_draws import Draws, like, state_of
from .tape import TAPE

NumPyGenerator: Any = np.random.Generator
NumPyRandomState: Any = np.random.RandomState
numpy_default_rng = np.random.default_rng
EPOCHS = itertools.count(1)
LIVE: WeakSet[Any] = WeakSet()
REMEMBERED: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def unseeded() -> np.random.SeedSequence:
    """The seed sequence for a generator without a seed: different for each generator, the same in each run."""
    TAPE.unseeded += 1
    return np.random.SeedSequence([0x6E70, TAPE.unseeded])


class _Kind(type):
    """Makes NumPy's own generators instances, too: those that a library created before."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, vars(cls).get("numpys", ())) or super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, vars(cls).get("numpys", ())) or super().__subclasscheck__(subclass)


class Generator(Draws, NumPyGenerator, metaclass=_Kind):  # type: ignore[misc]
    """numpy.random.Generator over the tape."""

    numpys = NumPyGenerator
    scratch = NumPyGenerator(np.random.PCG64(0))

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self.plain = NumPyGenerator(bit_generator)
        _seeded(self)
        LIVE.add(self)

    def __reduce__(self) -> Any:
        return type(self), (self.bit_generator,)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return self._standard("random", "uniform", (size, dtype), out)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return self._standard("standard_normal", "normal", (size, dtype), out)

    def standard_exponential(self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None) -> Any:
        if method != "zig":
            self.scratch.standard_exponential(size, dtype, method)
        return self._standard("standard_exponential", "exponential", (size, dtype), out)

    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return self._standard("standard_gamma", "gamma", (shape, size, dtype), out, a=shape)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False) -> Any:
        lower, upper = (0, low) if high is None else (low, high)
        limit = np.asarray(upper) + (1 if endpoint else 0)
        if TAPE.is_seed(low) and high is size is None:
            self._mark()
            return self.plain.integers(low)
        return self._direct("integers", "randint", (low, high, size, dtype, endpoint), low=lower, high=limit)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True) -> Any:
        return self._choice(a, size, replace, p, axis, (axis, shuffle))

    def shuffle(self, x: Any, axis: int = 0) -> None:
        self._shuffle(x, axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        return self._permutation(x, axis)

    def permuted(self, x: Any, *, axis: Any = None, out: Any = None) -> Any:
        array = np.asarray(x)
        self.scratch.permuted(array.copy(), axis=axis, out=None if out is None else out.copy())
        self._start("permuted")
        if axis is None:
            drawn = array.ravel()[self._order(array.size)].reshape(array.shape)
        else:
            line = np.expand_dims(
                np.arange(array.shape[axis]), [other for other in range(array.ndim) if other != axis % array.ndim]
            )
            positions = self.plain.permuted(np.broadcast_to(line, array.shape).copy(), axis=axis)
            drawn = np.take_along_axis(array, self._base("permutations", positions), axis)
        if out is None:
            return drawn
        out[...] = drawn
        return out

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *, method: str = "svd"
    ) -> Any:
        return self._multivariate_normal(mean, cov, (size, check_valid, tol), method=method)

    def multivariate_hypergeometric(self, colors: Any, nsample: Any, size: Any = None, method: str = "marginals") -> Any:
        sample = self._begin("multivariate_hypergeometric", colors, nsample, size, method)
        return like(sample, self._drawn_colors(colors, int(nsample), sample.shape[:-1]))


class RandomState(Draws, NumPyRandomState, metaclass=_Kind):  # type: ignore[misc]
    """numpy.random.RandomState over the tape."""

    numpys = NumPyRandomState
    scratch = NumPyRandomState(np.random.MT19937(0))

    def __init__(self, seed: Any = None) -> None:
        if seed is None:
            seed = np.random.MT19937(unseeded())
        super().__init__(seed)
        self.plain = NumPyRandomState(self._bit_generator)
        _seeded(self)
        LIVE.add(self)

    def seed(self, seed: Any = None) -> None:
        self.plain.seed(int(unseeded().generate_state(1)[0]) if seed is None else seed)
        _seeded(self)

    def get_state(self, legacy: bool = True) -> Any:
        return self.plain.get_state(legacy)

    def set_state(self, state: Any) -> None:
        self.plain.set_state(state)
        _seeded(self)

    def __getstate__(self) -> Any:
        return self.get_state(legacy=False)

    def __setstate__(self, state: Any) -> None:
        self.set_state(state)

    def __reduce__(self) -> Any:
        return _random_state, (self.get_state(legacy=False),)

    def random_sample(self, size: Any = None) -> Any:
        return self._direct("random_sample", "uniform", (size,))

    def random(self, size: Any = None) -> Any:
        return self._direct("random_sample", "uniform", (size,))

    def rand(self, *d: int) -> Any:
        return self._direct("rand", "uniform", d)

    def randn(self, *d: int) -> Any:
        return self._direct("randn", "normal", d)

    def standard_normal(self, size: Any = None) -> Any:
        return self._direct("standard_normal", "normal", (size,))

    def standard_exponential(self, size: Any = None) -> Any:
        return self._direct("standard_exponential", "exponential", (size,))

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        return self._direct("standard_gamma", "gamma", (shape, size), a=shape)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        lower, upper = (0, low) if high is None else (low, high)
        if TAPE.is_seed(low) and high is size is None:
            self._mark()
            return self.plain.randint(low, dtype=dtype)
        return self._direct("randint", "randint", (low, high, size, dtype), low=lower, high=upper)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        lower, upper = (1, low) if high is None else (low, high)
        return self._direct("random_integers", "randint", (low, high, size), low=lower, high=upper + 1)

    def tomaxint(self, size: Any = None) -> Any:
        sample = self._begin("tomaxint", size)
        bits = self._base("bits64", np.asarray(self.plain.tomaxint(size), np.uint64) << np.uint64(1))
        return like(sample, (bits >> np.uint64(1)).astype(np.int64))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        return self._choice(a, size, replace, p, 0, ())

    def shuffle(self, x: Any) -> None:
        self._shuffle(x, 0)

    def permutation(self, x: Any) -> Any:
        return self._permutation(x, 0)

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8) -> Any:
        return self._multivariate_normal(mean, cov, (size, check_valid, tol))


def _seeded(generator: Any) -> None:
    """Mark the generator as seeded: its next draws form a new stream."""
    generator.stream, generator.epoch = "", next(EPOCHS)


def remember() -> None:
    """Store the state of all present generators, which modules created during import."""
    for generator in list(LIVE):
        if generator not in REMEMBERED:
            REMEMBERED[generator] = state_of(generator.plain)


def go_back() -> None:
    """Reset those generators to the state stored by `remember`: each call finds them as the import left them."""
    for generator, state in list(REMEMBERED.items()):
        if isinstance(generator, NumPyGenerator):
            generator.plain.bit_generator.state = state
        else:
            generator.plain.set_state(state)
        _seeded(generator)


def _random_state(state: Any) -> RandomState:
    made = RandomState(np.random.MT19937(0))
    made.set_state(state)
    return made


def default_rng(seed: Any = None) -> Any:
    """numpy.random.default_rng over the tape."""
    if isinstance(seed, Generator) and type(seed) is not NumPyGenerator:
        return seed
    return Generator(numpy_default_rng(unseeded() if seed is None else seed).bit_generator)


def install() -> None:
    """Replace NumPy's generators by these, for all modules imported from now on."""
    if np.random.Generator is Generator:
        return
    mtrand = np.random.mtrand
    state = RandomState(mtrand._rand._bit_generator)
    names = [name for name in vars(np.random) if getattr(getattr(np.random, name), "__self__", None) is mtrand._rand]
    for kind, real in ((Generator, NumPyGenerator), (RandomState, NumPyRandomState)):
        kind.__name__, kind.__qualname__, kind.__module__ = real.__name__, real.__qualname__, real.__module__
    found = {name: getattr(state, name) for name in names}
    found |= {"ranf": state.random_sample, "sample": state.random_sample, "RandomState": RandomState}
    for module in (np.random, mtrand):
        for name, value in found.items():
            setattr(module, name, value)
    mtrand._rand = state
    modules: tuple[Any, ...] = (np.random, np.random._generator)
    for module in modules:
        module.Generator, module.default_rng = Generator, default_rng
