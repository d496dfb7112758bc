"""Generators that stand in for those of numpy.random: what they draw is made of base draws, which go over the tape.

Where NumPy itself scales a standard draw, the numbers are NumPy's own; a few distributions are drawn by another exact method, whose
parts jax.random has, too. `install` puts them where programs find generators; a generator that was made before is left alone.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .tape import TAPE

Values = np.ndarray[Any, Any]
NumPyGenerator: Any = np.random.Generator
NumPyRandomState: Any = np.random.RandomState
numpy_default_rng = np.random.default_rng
EPOCHS = itertools.count(1)
SCRATCH = NumPyGenerator(np.random.PCG64(0)), NumPyRandomState(np.random.MT19937(0))


def _like(sample: Any, values: Any) -> Any:
    """The values in the form that NumPy gives them: a Python number, a scalar or an array."""
    if isinstance(sample, np.ndarray):
        return np.asarray(values, sample.dtype)
    return type(sample)(np.asarray(values).item() if type(sample) in (int, float, bool) else values)


class _Draws:
    """The draws that Generator and RandomState share. `plain` is NumPy's own generator over the same bits."""

    plain: Any
    scratch: Any
    stream: str
    epoch: int

    def _seeded(self) -> None:
        """The generator was seeded: what is drawn from here on is another stream."""
        self.stream, self.epoch = "", next(EPOCHS)

    def _begin(self, draw: str, *args: Any, **kwargs: Any) -> Any:
        """A draw begins: NumPy checks its arguments, and shows the shape and type of the result."""
        sample = getattr(self.scratch, draw)(*args, **kwargs)
        TAPE.begin_draw(draw)
        return sample

    def _base(self, name: str, values: Any, **params: Any) -> Values:
        if not self.stream:
            self.stream = fingerprint(self.plain)
        return TAPE.note(name, np.asarray(values), params, self.stream, self.epoch)

    def _direct(self, draw: str, base: str, args: Sequence[Any], **params: Any) -> Any:
        """A draw that is a base draw as it is."""
        TAPE.begin_draw(draw)
        values = getattr(self.plain, draw)(*args)
        return _like(values, self._base(base, values, **params))

    def _standard(self, draw: str, base: str, args: Sequence[Any], out: Any, **params: Any) -> Any:
        """A draw of Generator that may be written to an array."""
        if out is None:
            return self._direct(draw, base, args, **params)
        self.scratch_out(draw, args, out)
        TAPE.begin_draw(draw)
        size = args[-2]
        drawn = getattr(self.plain, draw)(*args[:-2], out.shape if size is None else size, args[-1])
        out[...] = self._base(base, drawn, **params)
        return out

    def scratch_out(self, draw: str, args: Sequence[Any], out: Any) -> None:
        """NumPy checks that the draw can be written to `out`."""
        getattr(self.scratch, draw)(*args, out=out.copy())

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("normal", loc, scale, size)
        return _like(sample, loc + np.multiply(scale, self._base("normal", self.plain.standard_normal(np.shape(sample)))))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("uniform", low, high, size)
        drawn = self._base("uniform", self.plain.random(np.shape(sample)))
        return _like(sample, low + np.subtract(high, low) * drawn)

    def _location_scale(self, draw: str, loc: Any, scale: Any, size: Any) -> Any:
        sample = self._begin(draw, loc, scale, size)
        return _like(sample, loc + np.multiply(scale, self._base(draw, getattr(self.plain, draw)(0.0, 1.0, np.shape(sample)))))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._location_scale("laplace", loc, scale, size)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._location_scale("logistic", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._location_scale("gumbel", loc, scale, size)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("lognormal", mean, sigma, size)
        drawn = self._base("normal", self.plain.standard_normal(np.shape(sample)))
        return _like(sample, np.exp(mean + np.multiply(sigma, drawn)))

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("rayleigh", scale, size)
        return _like(sample, np.multiply(scale, self._base("rayleigh", self.plain.rayleigh(1.0, np.shape(sample)))))

    def _exponential(self, sample: Any) -> Values:
        return self._base("exponential", self.plain.standard_exponential(np.shape(sample)))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("exponential", scale, size)
        return _like(sample, np.multiply(scale, self._exponential(sample)))

    def pareto(self, a: Any, size: Any = None) -> Any:
        sample = self._begin("pareto", a, size)
        return _like(sample, np.expm1(self._exponential(sample) / np.asarray(a)))

    def weibull(self, a: Any, size: Any = None) -> Any:
        sample = self._begin("weibull", a, size)
        drawn = self._exponential(sample)
        with np.errstate(divide="ignore"):
            return _like(sample, np.where(np.equal(a, 0), 0.0, drawn ** (1.0 / np.asarray(a, float))))

    def power(self, a: Any, size: Any = None) -> Any:
        sample = self._begin("power", a, size)
        drawn = self._base("uniform", -np.expm1(-self.plain.standard_exponential(np.shape(sample))))
        return _like(sample, drawn ** (1.0 / np.asarray(a, float)))

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("gamma", shape, scale, size)
        drawn = self._base("gamma", self.plain.standard_gamma(shape, np.shape(sample)), a=shape)
        return _like(sample, np.multiply(scale, drawn))

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        return self._direct("beta", "beta", (a, b, size), a=a, b=b)

    def chisquare(self, df: Any, size: Any = None) -> Any:
        return self._direct("chisquare", "chisquare", (df, size), df=df)

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        return self._direct("f", "f", (dfnum, dfden, size), dfnum=dfnum, dfden=dfden)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        return self._direct("standard_t", "t", (df, size), df=df)

    def standard_cauchy(self, size: Any = None) -> Any:
        return self._direct("standard_cauchy", "cauchy", (size,))

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        return self._direct("triangular", "triangular", (left, mode, right, size), left=left, mode=mode, right=right)

    def wald(self, mean: Any, scale: Any, size: Any = None) -> Any:
        """A multiple of a Wald variate is one: the base draw has the scale 1."""
        TAPE.begin_draw("wald")
        values = self.plain.wald(mean, scale, size)
        return _like(values, np.multiply(scale, self._base("wald", np.divide(values, scale), mean=np.divide(mean, scale))))

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Any:
        return self._direct("vonmises", "vonmises", (mu, kappa, size), mu=mu, kappa=kappa)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Any:
        """A Poisson mixture: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2 (1995), chapter 29."""
        sample = self._begin("noncentral_chisquare", df, nonc, size)
        return _like(sample, self._mixture(df, nonc, np.shape(sample)))

    def _mixture(self, df: Any, nonc: Any, shape: tuple[int, ...]) -> Values:
        half = np.divide(nonc, 2)
        count = self._base("poisson", self.plain.poisson(half, shape), lam=half)
        degrees = df + 2 * count
        return self._base("chisquare", self.plain.chisquare(degrees, shape), df=degrees)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> Any:
        """The ratio of a noncentral and a central chi-square variate: the same, chapter 30."""
        sample = self._begin("noncentral_f", dfnum, dfden, nonc, size)
        upper = self._mixture(dfnum, nonc, np.shape(sample)) / dfnum
        lower = self._base("chisquare", self.plain.chisquare(dfden, np.shape(sample)), df=dfden) / dfden
        return _like(sample, upper / lower)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._direct("binomial", "binomial", (n, p, size), n=n, p=p)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        return self._direct("poisson", "poisson", (lam, size), lam=lam)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return self._direct("geometric", "geometric", (p, size), p=p)

    def zipf(self, a: Any, size: Any = None) -> Any:
        return self._direct("zipf", "zipf", (a, size), a=a)

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """A gamma mixture of Poisson distributions: Devroye, Non-Uniform Random Variate Generation (1986), X.4.7."""
        sample = self._begin("negative_binomial", n, p, size)
        shape = np.shape(sample)
        drawn = self._base("gamma", self.plain.standard_gamma(n, shape), a=n)
        rate = drawn * (np.subtract(1, p) / p)
        return _like(sample, self._base("poisson", self.plain.poisson(rate, shape), lam=rate))

    def logseries(self, p: Any, size: Any = None) -> Any:
        """Kemp, Efficient Generation of Logarithmically Distributed Pseudo-Random Variables, Applied Statistics 30 (1981)."""
        sample = self._begin("logseries", p, size)
        waited = self._exponential(sample)
        drawn = self._base("uniform", self.plain.random(np.shape(sample)))
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = -np.expm1(np.log1p(np.negative(p)) * drawn)
            return _like(sample, np.floor(1.0 - waited / np.log(chance)))

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        params = {}
        if all(np.ndim(value) == 0 for value in (ngood, nbad, nsample)):
            params["p"] = np.array([_drawn_good(int(ngood), int(nbad), int(nsample), good) for good in range(int(nsample) + 1)])
        return self._direct("hypergeometric", "categorical", (ngood, nbad, nsample, size), **params)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        return self._direct("multinomial", "multinomial", (n, pvals, size), n=n, p=_shares(pvals))

    def dirichlet(self, alpha: Any, size: Any = None) -> Any:
        return self._direct("dirichlet", "dirichlet", (alpha, size), alpha=alpha)

    def _multivariate_normal(self, mean: Any, cov: Any, args: Sequence[Any], **kwargs: Any) -> Any:
        TAPE.begin_draw("multivariate_normal")
        values = self.plain.multivariate_normal(mean, cov, *args, **kwargs)
        return np.asarray(mean) + self._base("multivariate_normal", values - np.asarray(mean), cov=cov)

    def bytes(self, length: int) -> bytes:
        TAPE.begin_draw("bytes")
        return self._base("bits8", np.frombuffer(self.plain.bytes(length), np.uint8)).tobytes()

    def _order(self, count: int) -> Values:
        return self._base("permutation", self.plain.permutation(count))

    def _shuffle(self, x: Any, axis: int) -> None:
        TAPE.begin_draw("shuffle")
        if isinstance(x, np.ndarray):
            if x.ndim:
                x[...] = np.take(x, self._order(x.shape[axis]), axis)
                return
            self.plain.shuffle(x)  # raises
        if axis:
            self.plain.shuffle(x, axis)  # raises
        old = list(x)
        for place, chosen in enumerate(self._order(len(x))):
            x[place] = old[chosen]

    def _permutation(self, x: Any, axis: int) -> Any:
        if isinstance(x, int | np.integer):
            TAPE.begin_draw("permutation")
            return self._order(int(x))
        array = np.asarray(x)
        if array.ndim == 0:
            return self.plain.permutation(x)  # raises
        TAPE.begin_draw("permutation")
        return np.take(array, self._order(array.shape[axis]), axis)

    def _choice(self, a: Any, size: Any, replace: Any, p: Any, axis: int, others: Sequence[Any]) -> Any:
        """A choice by places, which go over the tape; NumPy checks the arguments and shows the form of the result."""
        sample = self.scratch.choice(a, size, replace, p, *others)
        TAPE.begin_draw("choice")
        array = np.asarray(a)
        count = int(array) if array.ndim == 0 else array.shape[axis]
        places = self.plain.choice(count, size, replace, p, *((0, *others[1:]) if others else ()))
        shares = np.full(count, 1 / max(count, 1)) if p is None else _shares(p)
        params = {"n": count, "replace": bool(replace)}
        drawn = self._base("choice", places, **params, p=shares)
        return _like(sample, drawn) if array.ndim == 0 else _picked(array, drawn, axis)


def _picked(array: Values, places: Values, axis: int) -> Any:
    return np.take(array, places if places.ndim else int(places), axis)


def _shares(weights: Any) -> Values:
    weights = np.asarray(weights, float)
    with np.errstate(all="ignore"):
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _drawn_good(good: int, bad: int, count: int, found: int) -> float:
    """The probability of `found` good ones among `count` that are drawn."""
    if found > good or count - found > bad or count > good + bad:
        return 0.0
    return math.comb(good, found) * math.comb(bad, count - found) / math.comb(good + bad, count)


def fingerprint(plain: Any) -> str:
    """The state of NumPy's own generator, in short: those that would draw the same have the same."""
    state = plain.bit_generator.state if isinstance(plain, NumPyGenerator) else plain.get_state(legacy=False)
    return hashlib.blake2b(repr(_frozen(state)).encode(), digest_size=12).hexdigest()


def _frozen(state: Any) -> Any:
    if isinstance(state, dict):
        return sorted((key, _frozen(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state


def unseeded() -> np.random.SeedSequence:
    """What a generator without a seed starts from: another in each place, the same in each run."""
    TAPE.unseeded += 1
    return np.random.SeedSequence([0x6E70, TAPE.unseeded])


class _Kind(type):
    """NumPy's own generators are instances, too: those that a library made before."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[2])

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.__mro__[2])


class Generator(_Draws, NumPyGenerator, metaclass=_Kind):  # type: ignore[misc]
    """numpy.random.Generator over the tape."""

    scratch = SCRATCH[0]

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self.plain = NumPyGenerator(bit_generator)
        self._seeded()

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
        TAPE.begin_draw("permuted")
        if axis is None:
            drawn = array.ravel()[self._order(array.size)].reshape(array.shape)
        else:
            line = np.expand_dims(
                np.arange(array.shape[axis]), [other for other in range(array.ndim) if other != axis % array.ndim]
            )
            places = self.plain.permuted(np.broadcast_to(line, array.shape).copy(), axis=axis)
            drawn = np.take_along_axis(array, self._base("permutations", places), axis)
        if out is None:
            return drawn
        out[...] = drawn
        return out

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *, method: str = "svd"
    ) -> Any:
        return self._multivariate_normal(mean, cov, (size, check_valid, tol), method=method)

    def multivariate_hypergeometric(self, colors: Any, nsample: Any, size: Any = None, method: str = "marginals") -> Any:
        return self._direct("multivariate_hypergeometric", "multivariate_hypergeometric", (colors, nsample, size, method))


class RandomState(_Draws, NumPyRandomState, metaclass=_Kind):  # type: ignore[misc]
    """numpy.random.RandomState over the tape."""

    scratch = SCRATCH[1]

    def __init__(self, seed: Any = None) -> None:
        if seed is None:
            seed = np.random.MT19937(unseeded())
        super().__init__(seed)
        self.plain = NumPyRandomState(self._bit_generator)
        self._seeded()

    def seed(self, seed: Any = None) -> None:
        self.plain.seed(int(unseeded().generate_state(1)[0]) if seed is None else seed)
        self._seeded()

    def get_state(self, legacy: bool = True) -> Any:
        return self.plain.get_state(legacy)

    def set_state(self, state: Any) -> None:
        self.plain.set_state(state)
        self._seeded()

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
        return self._direct("randint", "randint", (low, high, size, dtype), low=lower, high=upper)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        lower, upper = (1, low) if high is None else (low, high)
        return self._direct("random_integers", "randint", (low, high, size), low=lower, high=upper + 1)

    def tomaxint(self, size: Any = None) -> Any:
        sample = self._begin("tomaxint", size)
        bits = self._base("bits64", np.asarray(self.plain.tomaxint(size), np.uint64) << np.uint64(1))
        return _like(sample, (bits >> np.uint64(1)).astype(np.int64))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        return self._choice(a, size, replace, p, 0, ())

    def shuffle(self, x: Any) -> None:
        self._shuffle(x, 0)

    def permutation(self, x: Any) -> Any:
        return self._permutation(x, 0)

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8) -> Any:
        return self._multivariate_normal(mean, cov, (size, check_valid, tol))


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
    """Put these generators in the place of NumPy's, for all modules that are imported from now on."""
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
