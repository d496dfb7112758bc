"""Functions of jax.random that take their values from the tape: immediately, or under jit through an ordered callback.

Under `vmap`, a batch takes the values that the original drew in as many steps. While `jax_debug_key_reuse` is on, the functions
behave as JAX's own. Code traced with that setting is traced again without it, so the two do not mix.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from .tape import TAPE, DrawRequest, Lane, where

NO_DRAWS = ("Key", "PRNGKey", "clone", "fold_in", "key", "key_data", "key_dtype", "key_impl", "split", "wrap_key_data")
UNORDERED = ("IO effect not supported in", "Ordered IO effects not supported", "Effects not supported in")
NO_ORDER = "JAX does not preserve the order of draws in a cond or while_loop under vmap, or under jax.checkpoint: they cannot be replayed"


@dataclass(frozen=True, slots=True)
class Draw:
    """One call of a function of jax.random: its arguments by name, and the shape and dtype of its result."""

    name: str
    arguments: Mapping[str, Any]
    shape: tuple[int, ...]
    dtype: Any
    site: str

    def base(self, names: str, shape: tuple[int, ...] | None = None, dtype: Any = None, **params: Any) -> Any:
        """The next base draw from the tape, which must be one of `names`, as a JAX array; its parameters are checked."""
        request = DrawRequest(f"jax.random.{self.name}", tuple(names.split()), self.shape if shape is None else shape, self.site)
        return _taken(request, self.arguments["key"], dtype or self.dtype, params)

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]


def _without_parameters(base: str) -> Callable[[Draw], Any]:
    """A draw without parameters."""
    return lambda draw: draw.base(base)


def _checked(base: str, *params: str) -> Callable[[Draw], Any]:
    """A draw whose parameters must equal those of the original."""
    return lambda draw: draw.base(base, **{name: draw[name] for name in params})


def _uniform(draw: Draw) -> Any:
    import jax.numpy as jnp

    low, high = (jnp.asarray(draw[name], draw.dtype) for name in ("minval", "maxval"))
    return low + (high - low) * draw.base("uniform")


def _randint(draw: Draw) -> Any:
    return draw.base("randint", low=draw["minval"], high=draw["maxval"])


def _bits(draw: Draw) -> Any:
    return draw.base(f"bits{8 * draw.dtype.itemsize}")


def _bernoulli(draw: Draw) -> Any:
    import jax.numpy as jnp

    return draw.base("uniform", dtype=jnp.result_type(float)) < draw["p"]


def _categorical(draw: Draw) -> Any:
    import jax

    return draw.base("categorical", p=jax.nn.softmax(draw["logits"], axis=draw["axis"]))


def _multinomial(draw: Draw) -> Any:
    import jax.numpy as jnp

    p = jnp.asarray(draw["p"])
    return draw.base("multinomial", n=jnp.asarray(draw["n"])[..., None], p=p / p.sum(-1, keepdims=True))


def _multivariate_normal(draw: Draw) -> Any:
    return draw["mean"] + draw.base("multivariate_normal", cov=draw["cov"])


def _lognormal(draw: Draw) -> Any:
    import jax.numpy as jnp

    return jnp.exp(draw["sigma"] * draw.base("normal"))


def _pareto(draw: Draw) -> Any:
    import jax.numpy as jnp

    return jnp.exp(draw.base("exponential") / draw["b"])


def _loggamma(draw: Draw) -> Any:
    import jax.numpy as jnp

    return jnp.log(draw.base("gamma", a=draw["a"]))


def _rayleigh(draw: Draw) -> Any:
    return draw["scale"] * draw.base("rayleigh")


def _weibull_min(draw: Draw) -> Any:
    return draw["scale"] * draw.base("exponential") ** (1 / draw["concentration"])


def _choice(draw: Draw) -> Any:
    import jax.numpy as jnp

    array, axis = jnp.asarray(draw["a"]), draw["axis"]
    count = int(draw["a"]) if array.ndim == 0 else array.shape[axis]
    p = jnp.full(count, 1 / max(count, 1)) if draw["p"] is None else jnp.asarray(draw["p"]) / jnp.sum(draw["p"])
    shape = (draw["shape"],) if isinstance(draw["shape"], int) else tuple(draw["shape"])
    params = {"n": count, "replace": bool(draw["replace"]), "p": p}
    positions = draw.base("choice", shape=shape, dtype=jnp.result_type(int), **params)
    return positions if array.ndim == 0 else jnp.take(array, positions, axis)


def _permutation(draw: Draw) -> Any:
    import jax.numpy as jnp

    x = jnp.asarray(draw["x"])
    if x.ndim == 0:
        return draw.base("permutation", shape=draw.shape)
    if draw["independent"] and x.ndim > 1:
        return jnp.take_along_axis(x, draw.base("permutations", dtype=jnp.result_type(int)), draw["axis"])
    positions = draw.base("permutation", shape=(x.shape[draw["axis"]],), dtype=jnp.result_type(int))
    return jnp.take(x, positions, draw["axis"])


DRAWS: dict[str, Callable[[Draw], Any]] = {
    "uniform": _uniform,
    "randint": _randint,
    "bits": _bits,
    "bernoulli": _bernoulli,
    "categorical": _categorical,
    "multinomial": _multinomial,
    "multivariate_normal": _multivariate_normal,
    "lognormal": _lognormal,
    "pareto": _pareto,
    "loggamma": _loggamma,
    "rayleigh": _rayleigh,
    "weibull_min": _weibull_min,
    "choice": _choice,
    "permutation": _permutation,
    **{name: _without_parameters(name) for name in ("normal", "exponential", "laplace", "logistic", "gumbel", "cauchy")},
    "gamma": _checked("gamma", "a"),
    "beta": _checked("beta", "a", "b"),
    "chisquare": _checked("chisquare", "df"),
    "t": _checked("t", "df"),
    "f": _checked("f", "dfnum", "dfden"),
    "wald": _checked("wald", "mean"),
    "triangular": _checked("triangular", "left", "mode", "right"),
    "dirichlet": _checked("dirichlet", "alpha"),
    "poisson": _checked("poisson", "lam"),
    "binomial": _checked("binomial", "n", "p"),
    "geometric": _checked("geometric", "p"),
}


SIZES = frozenset(("shape", "a", "x"))  # parameters that are one size or several sizes


def install(module: ModuleType) -> None:
    """Make the functions of `module`, which is jax.random, draw from the tape."""
    for name, real in list(vars(module).items()):
        if name.startswith("_") or name in NO_DRAWS or not callable(real) or hasattr(real, "np2jax_own"):
            continue
        parameters = inspect.signature(real).parameters
        if next(iter(parameters), "") == "key":
            setattr(module, name, _replaying(name, real))


def _replaying(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(real)

    @functools.wraps(real)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        import jax

        if jax.config.jax_debug_key_reuse:  # type: ignore[attr-defined,unused-ignore]
            with jax.disable_jit(False):  # without jit, JAX reports the key use inside poisson and others as reuse
                return real(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        for parameter in SIZES & bound.arguments.keys():
            bound.arguments[parameter] = _known(bound.arguments[parameter])
        args, kwargs = bound.args, bound.kwargs
        form = jax.eval_shape(lambda: real(*args, **kwargs))  # JAX checks the arguments
        bound.apply_defaults()
        if name == "bits" and form.shape == () and TAPE.replaying and TAPE.upcoming != f"bits{8 * form.dtype.itemsize}":
            TAPE.reseeded = True
            return real(*args, **kwargs)  # the seed of a generator for a function left as NumPy: the original has no such draw
        draw = Draw(name, bound.arguments, form.shape, form.dtype, where(TAPE.home))
        if name not in DRAWS:
            draw.base("")
            return real(*args, **kwargs)
        return jax.numpy.asarray(DRAWS[name](draw), form.dtype)

    drawn.np2jax_own = real  # type: ignore[attr-defined]
    return drawn


def _known(size: Any) -> Any:
    """A computed size as a Python int: traced code needs a static size."""
    import jax

    if isinstance(size, (tuple, list)):
        return tuple(map(_known, size))
    whole = isinstance(size, jax.Array) and not isinstance(size, jax.core.Tracer) and size.shape == () and size.dtype.kind in "iu"
    return int(size) if whole else size


def _taken(request: DrawRequest, key: Any, dtype: Any, params: Mapping[str, Any]) -> Any:
    """The values on the tape for a draw: now, or when the code that is being traced runs."""
    import jax

    arrays = [jax.numpy.asarray(value) for value in params.values()]
    names = tuple(params)
    data = jax.random.key_data(key)
    staged = jax.lax.add(0.0, 0.0)  # a tracer under tracing, even if no argument is traced
    if not any(isinstance(value, jax.core.Tracer) for value in (data, staged, *arrays)):
        return jax.numpy.asarray(_values(request, names, dtype, (), data, *arrays))
    return _batched(request, names, np.dtype(dtype), ())(data, *map(jax.lax.stop_gradient, arrays))


@functools.lru_cache(maxsize=4096)
def _batched(request: DrawRequest, names: tuple[str, ...], dtype: np.dtype[Any], batch: tuple[int, ...]) -> Any:
    """The callback for a batch of draws; `vmap` replaces it by one for a larger batch."""
    import jax
    from jax.experimental import io_callback

    @jax.custom_batching.custom_vmap
    def taken(data: Any, *params: Any) -> Any:
        form = jax.ShapeDtypeStruct((*batch, *request.shape), dtype)  # type: ignore[no-untyped-call,unused-ignore]
        return io_callback(functools.partial(_values, request, names, dtype, batch), form, data, *params, ordered=True)

    @taken.def_vmap
    def more(size: int, mapped: list[bool], *args: Any) -> Any:
        full = [
            arg if is_mapped else jax.numpy.broadcast_to(arg, (size, *arg.shape))
            for arg, is_mapped in zip(args, mapped, strict=True)
        ]
        return _batched(request, names, dtype, (size, *batch))(*full), True

    return taken


def _values(
    request: DrawRequest, names: tuple[str, ...], dtype: np.dtype[Any], batch: tuple[int, ...], data: Any, *params: Any
) -> np.ndarray[Any, Any]:
    """The values from the tape for each draw of a batch."""
    keys = _rows(data, batch)
    columns = [_rows(param, batch) for param in params]
    lanes = [Lane(key.tobytes(), dict(zip(names, values, strict=True))) for key, *values in zip(keys, *columns, strict=True)]
    found = TAPE.take(request, lanes)
    return np.asarray(found).astype(dtype).reshape((*batch, *request.shape))


def _rows(array: Any, batch: tuple[int, ...]) -> list[np.ndarray[Any, Any]]:
    array = np.asarray(array)
    return list(array.reshape((math.prod(batch), *array.shape[len(batch) :])))
