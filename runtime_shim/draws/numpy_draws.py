"""NumPy's distributions composed of base draws, which are recorded on the tape or taken from it.

Where NumPy itself scales a standard draw, the numbers equal NumPy's. A few distributions use a different exact method, whose
base draws jax.random has, too.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .tape import TAPE

Values = np.ndarray[Any, Any]


def like(sample: Any, values: Any) -> Any:
    """The values as the type that NumPy returns: a Python number, a scalar or an array."""
    if isinstance(sample, np.ndarray):
        return np.asarray(values, sample.dtype)
    return type(sample)(np.asarray(values).item() if type(sample) in (int, float, bool) else values)


class Draws:
    """The draws that Generator and RandomState share.

    `plain` is NumPy's own generator over the same bits; `scratch` is one that only shows the form of a result. `stream`
    identifies the state after seeding ("" until the first draw); `epoch` counts seedings.
    """

    plain: Any
    scratch: Any
    stream: str
    epoch: int

    def _mark(self) -> None:
        """Name the stream by the state after seeding."""
        if not self.stream:
            self.stream = fingerprint(self.plain)

    def _start(self, draw: str) -> None:
        self._mark()
        TAPE.begin_draw(draw)

    def _begin(self, draw: str, *args: Any, **kwargs: Any) -> Any:
        """Begin a draw: NumPy checks the arguments and shows the shape and type of the result."""
        sample = getattr(self.scratch, draw)(*args, **kwargs)
        self._start(draw)
        return sample

    def _base(self, name: str, values: Any, **params: Any) -> Values:
        return TAPE.note(name, np.asarray(values), params, self.stream, self.epoch)

    def _direct(self, draw: str, base: str, args: Sequence[Any], **params: Any) -> Any:
        """A draw that equals a base draw."""
        self._start(draw)
        values = getattr(self.plain, draw)(*args)
        return like(values, self._base(base, values, **params))

    def _standard(self, draw: str, base: str, args: Sequence[Any], out: Any, **params: Any) -> Any:
        """A draw of Generator that may be written to an array."""
        if out is None:
            return self._direct(draw, base, args, **params)
        self._check_out(draw, args, out)
        self._start(draw)
        size = args[-2]
        drawn = getattr(self.plain, draw)(*args[:-2], out.shape if size is None else size, args[-1])
        out[...] = self._base(base, drawn, **params)
        return out

    def _check_out(self, draw: str, args: Sequence[Any], out: Any) -> None:
        """Let NumPy check that the draw can be written to `out`."""
        getattr(self.scratch, draw)(*args, out=out.copy())

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("normal", loc, scale, size)
        return like(sample, loc + np.multiply(scale, self._base("normal", self.plain.standard_normal(np.shape(sample)))))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("uniform", low, high, size)
        drawn = self._base("uniform", self.plain.random(np.shape(sample)))
        return like(sample, low + np.subtract(high, low) * drawn)

    def _location_scale(self, draw: str, loc: Any, scale: Any, size: Any) -> Any:
        sample = self._begin(draw, loc, scale, size)
        return like(sample, loc + np.multiply(scale, self._base(draw, getattr(self.plain, draw)(0.0, 1.0, np.shape(sample)))))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._location_scale("laplace", loc, scale, size)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._location_scale("logistic", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._location_scale("gumbel", loc, scale, size)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("lognormal", mean, sigma, size)
        drawn = self._base("normal", self.plain.standard_normal(np.shape(sample)))
        return like(sample, np.exp(mean + np.multiply(sigma, drawn)))

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("rayleigh", scale, size)
        return like(sample, np.multiply(scale, self._base("rayleigh", self.plain.rayleigh(1.0, np.shape(sample)))))

    def _exponential(self, sample: Any) -> Values:
        return self._base("exponential", self.plain.standard_exponential(np.shape(sample)))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("exponential", scale, size)
        return like(sample, np.multiply(scale, self._exponential(sample)))

    def pareto(self, a: Any, size: Any = None) -> Any:
        sample = self._begin("pareto", a, size)
        return like(sample, np.expm1(self._exponential(sample) / np.asarray(a)))

    def weibull(self, a: Any, size: Any = None) -> Any:
        sample = self._begin("weibull", a, size)
        drawn = self._exponential(sample)
        with np.errstate(divide="ignore"):
            return like(sample, np.where(np.equal(a, 0), 0.0, drawn ** (1.0 / np.asarray(a, float))))

    def power(self, a: Any, size: Any = None) -> Any:
        sample = self._begin("power", a, size)
        drawn = self._base("uniform", -np.expm1(-self.plain.standard_exponential(np.shape(sample))))
        return like(sample, drawn ** (1.0 / np.asarray(a, float)))

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        sample = self._begin("gamma", shape, scale, size)
        drawn = self._base("gamma", self.plain.standard_gamma(shape, np.shape(sample)), a=shape)
        return like(sample, np.multiply(scale, drawn))

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
        """A multiple of a Wald variate is a Wald variate: the base draw has scale 1."""
        self._start("wald")
        values = self.plain.wald(mean, scale, size)
        return like(values, np.multiply(scale, self._base("wald", np.divide(values, scale), mean=np.divide(mean, scale))))

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Any:
        """By rejection, as in converted modules: Best and Fisher, Efficient Simulation of the von Mises Distribution (1979)."""
        sample = self._begin("vonmises", mu, kappa, size)
        shape = np.shape(sample)
        kappa = np.maximum(kappa, 1e-8)
        more = (1 + 1 / (np.hypot(1, 2 * kappa) + 2 * kappa)) / (2 * kappa)
        angle, done = np.zeros(shape), np.zeros(shape, bool)
        while not done.all():
            u, v, side = self._base("uniform", self.plain.random((3, *shape)))
            square = np.sin(np.pi * u / 2) ** 2
            below = more + 2 - 2 * square
            c = kappa * more * (more + 2) / below
            rejected = (c * (2 - c) < v) & (np.log(c / v) + 1 - c < 0)
            found = np.where(side < 0.5, -2, 2) * np.arcsin(np.sqrt(more * square / below))
            angle, done = np.where(done, angle, found), done | ~rejected
        return like(sample, (angle + mu + np.pi) % (2 * np.pi) - np.pi)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Any:
        """A Poisson mixture: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2 (1995), chapter 29."""
        sample = self._begin("noncentral_chisquare", df, nonc, size)
        return like(sample, self._mixture(df, nonc, np.shape(sample)))

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
        return like(sample, upper / lower)

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
        return like(sample, self._base("poisson", self.plain.poisson(rate, shape), lam=rate))

    def logseries(self, p: Any, size: Any = None) -> Any:
        """Kemp, Efficient Generation of Logarithmically Distributed Pseudo-Random Variables, Applied Statistics 30 (1981)."""
        sample = self._begin("logseries", p, size)
        waited = self._exponential(sample)
        drawn = self._base("uniform", self.plain.random(np.shape(sample)))
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = -np.expm1(np.log1p(np.negative(p)) * drawn)
            return like(sample, np.floor(1.0 - waited / np.log(chance)))

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        params = {}
        if all(np.ndim(value) == 0 for value in (ngood, nbad, nsample)):
            params["p"] = np.array([_drawn_good(int(ngood), int(nbad), int(nsample), good) for good in range(int(nsample) + 1)])
        return self._direct("hypergeometric", "categorical", (ngood, nbad, nsample, size), **params)

    def _drawn_colors(self, colors: Any, nsample: int, shape: tuple[int, ...]) -> Values:
        """Counts of one color after the other, conditional on those before: Gentle, Random Number Generation (2003), 5.3."""
        left, others, counts = np.full(shape, nsample), int(np.sum(colors)), []
        for color in colors:
            others -= int(color)
            rows = [[_drawn_good(int(color), others, int(one), found) for found in range(nsample + 1)] for one in left.ravel()]
            p = np.array(rows).reshape(*shape, nsample + 1)
            chosen = (p.cumsum(-1) < self.plain.random(shape)[..., None]).sum(-1)
            counts.append(self._base("categorical", chosen, p=p))
            left = left - counts[-1]
        return np.stack(counts, -1)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        return self._direct("multinomial", "multinomial", (n, pvals, size), n=n, p=_shares(pvals))

    def dirichlet(self, alpha: Any, size: Any = None) -> Any:
        return self._direct("dirichlet", "dirichlet", (alpha, size), alpha=alpha)

    def _multivariate_normal(self, mean: Any, cov: Any, args: Sequence[Any], **kwargs: Any) -> Any:
        self._start("multivariate_normal")
        values = self.plain.multivariate_normal(mean, cov, *args, **kwargs)
        return np.asarray(mean) + self._base("multivariate_normal", values - np.asarray(mean), cov=cov)

    def bytes(self, length: int) -> bytes:
        self._start("bytes")
        return self._base("bits8", np.frombuffer(self.plain.bytes(length), np.uint8)).tobytes()

    def _order(self, count: int) -> Values:
        return self._base("permutation", self.plain.permutation(count))

    def _shuffle(self, x: Any, axis: int) -> None:
        self._start("shuffle")
        if isinstance(x, np.ndarray):
            if x.ndim:
                x[...] = np.take(x, self._order(x.shape[axis]), axis)
                return
            self.plain.shuffle(x)  # raises
        if axis:
            self.plain.shuffle(x, axis)  # raises
        old = list(x)
        for position, chosen in enumerate(self._order(len(x))):
            x[position] = old[chosen]

    def _permutation(self, x: Any, axis: int) -> Any:
        if isinstance(x, int | np.integer):
            self._start("permutation")
            return self._order(int(x))
        array = np.asarray(x)
        if array.ndim == 0:
            return self.plain.permutation(x)  # raises
        self._start("permutation")
        return np.take(array, self._order(array.shape[axis]), axis)

    def _choice(self, a: Any, size: Any, replace: Any, p: Any, axis: int, others: Sequence[Any]) -> Any:
        """A choice by indices, which go over the tape. NumPy checks the arguments and shows the form of the result."""
        sample = self.scratch.choice(a, size, replace, p, *others)
        self._start("choice")
        array = np.asarray(a)
        count = int(array) if array.ndim == 0 else array.shape[axis]
        positions = self.plain.choice(count, size, replace, p, *((0, *others[1:]) if others else ()))
        shares = np.full(count, 1 / max(count, 1)) if p is None else _shares(p)
        params = {"n": count, "replace": bool(replace)}
        drawn = self._base("choice", positions, **params, p=shares)
        return like(sample, drawn) if array.ndim == 0 else _picked(array, drawn, axis)


def _picked(array: Values, positions: Values, axis: int) -> Any:
    return np.take(array, positions if positions.ndim else int(positions), axis)


def _shares(weights: Any) -> Values:
    weights = np.asarray(weights, float)
    with np.errstate(all="ignore"):
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _drawn_good(good: int, bad: int, count: int, found: int) -> float:
    """The probability of `found` good elements in a sample of `count`."""
    if not 0 <= count - found <= bad or found > good or count > good + bad:
        return 0.0
    return math.comb(good, found) * math.comb(bad, count - found) / math.comb(good + bad, count)


def fingerprint(plain: Any) -> str:
    """A digest of the state of NumPy's own generator: equal for generators that would draw the same."""
    return hashlib.blake2b(repr(_frozen(state_of(plain))).encode(), digest_size=12).hexdigest()


def state_of(plain: Any) -> Any:
    """The state of NumPy's own generator."""
    return plain.bit_generator.state if hasattr(plain, "bit_generator") else plain.get_state(legacy=False)


def _frozen(state: Any) -> Any:
    if isinstance(state, dict):
        return sorted((key, _frozen(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state
