"""The transformations of JAX, Equinox and Flax: which argument is a function, when it is traced, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Transform(NamedTuple):
    """One transformation.

    `functions`: the positions of the functions. `stages`: they are recorded without values, and every result of JAX in them is a
    tracer. `batches`: their arguments have no value either, but nothing else changes. Neither: `grad`, whose tracers have values.
    `repeats`: a function runs many times for one call. `calls`: how a function is called at once, see `applications`; "" if the
    result is a function. `only_arrays`: arguments that are no arrays stay static. `mutable`: its functions may change their
    arguments.
    """

    functions: tuple[int, ...] = (0,)
    stages: bool = False
    batches: bool = False
    differentiates: bool = False
    repeats: bool = False
    calls: str = ""
    only_arrays: bool = False
    mutable: bool = False
    compiles: bool = False
    first_only: bool = False  # only the arguments in `argnums` are tracers
    value_first: bool = False  # returns the value of the function and a derivative


JIT = Transform(stages=True, compiles=True)
FILTER_JIT = JIT._replace(only_arrays=True)
NNX_JIT = JIT._replace(mutable=True)
VMAP = Transform(batches=True, repeats=True)
GRAD = Transform(differentiates=True, first_only=True)
VALUE_AND_GRAD = GRAD._replace(value_first=True)
FORWARD = GRAD._replace(batches=True)  # jacfwd, jacrev and hessian map over basis vectors
LOOP = Transform(stages=True, repeats=True)

_LOOPS: Mapping[str, Transform] = {
    "scan": LOOP._replace(calls="scan"),
    "map": LOOP._replace(calls="map"),
    "fori_loop": LOOP._replace(functions=(2,), calls="fori_loop"),
    "while_loop": LOOP._replace(functions=(0, 1), calls="while_loop"),
    "cond": Transform(functions=(1, 2), stages=True, calls="cond"),
    "switch": Transform(functions=(1,), stages=True, calls="switch"),
}
TRANSFORMS: Mapping[str, Transform] = {
    "jax.jit": JIT,
    "jax.pjit": JIT,
    "jax.experimental.pjit.pjit": JIT,
    "jax.pmap": JIT._replace(repeats=True),
    "jax.vmap": VMAP,
    "jax.grad": GRAD,
    "jax.value_and_grad": VALUE_AND_GRAD,
    "jax.jacfwd": GRAD,
    "jax.jacrev": GRAD,
    "jax.jacobian": GRAD,
    "jax.hessian": GRAD,
    "jax.checkpoint": Transform(stages=True),
    "jax.remat": Transform(stages=True),
    "jax.ad_checkpoint.checkpoint": Transform(stages=True),
    "jax.shard_map": Transform(stages=True),
    "jax.experimental.shard_map.shard_map": Transform(stages=True),
    "jax.make_jaxpr": Transform(stages=True),
    "jax.eval_shape": Transform(stages=True, calls="rest"),
    "jax.jvp": Transform(differentiates=True, calls="primals"),
    "jax.vjp": Transform(differentiates=True, calls="vjp"),
    "jax.linearize": Transform(differentiates=True, calls="vjp"),
    **{f"{module}.{name}": transform for module in ("jax.lax", "haiku") for name, transform in _LOOPS.items()},
    "jax.lax.associative_scan": Transform(repeats=True, calls="combine"),
    "jax.experimental.pallas.pallas_call": Transform(stages=True, mutable=True, calls="opaque"),
    "equinox.internal.while_loop": _LOOPS["while_loop"],
    "equinox.filter_jit": FILTER_JIT,
    "equinox.filter_pmap": FILTER_JIT._replace(repeats=True),
    "equinox.filter_vmap": VMAP._replace(only_arrays=True),
    "equinox.filter_grad": GRAD._replace(only_arrays=True),
    "equinox.filter_value_and_grad": VALUE_AND_GRAD._replace(only_arrays=True),
    "equinox.filter_checkpoint": Transform(stages=True, only_arrays=True),
    "flax.nnx.jit": NNX_JIT,
    "flax.nnx.pmap": NNX_JIT._replace(repeats=True),
    "flax.nnx.grad": GRAD._replace(mutable=True),
    "flax.nnx.value_and_grad": VALUE_AND_GRAD._replace(mutable=True),
    "flax.nnx.vmap": VMAP._replace(mutable=True),
    "flax.nnx.remat": Transform(stages=True, mutable=True),
    "flax.nnx.scan": LOOP._replace(mutable=True),
    **{f"flax.nnx.{name}": _LOOPS[name]._replace(mutable=True) for name in ("fori_loop", "while_loop", "cond", "switch")},
}
# Wrappers that return a function which is called in the same way, and that trace nothing by themselves.
TRANSPARENT = frozenset(
    """
    jax.custom_jvp jax.custom_vjp jax.custom_gradient jax.named_call jax.named_scope jax.disable_jit functools.wraps functools.cache
    functools.lru_cache staticmethod classmethod property functools.cached_property typing.no_type_check typing.overload typing.final typing.override
    jaxtyping.jaxtyped beartype.beartype
    typeguard.typechecked chex.assert_max_traces chex.chexify
    """.split()
)
OWN_DERIVATIVES = frozenset({"jax.custom_jvp", "jax.custom_vjp", "jax.custom_gradient"})
# The functions that these take run on the host, with NumPy arrays.
CALLBACKS = frozenset(
    """
    jax.pure_callback jax.experimental.io_callback jax.debug.callback jax.experimental.host_callback.call
    jax.experimental.host_callback.id_tap jax.experimental.callback.io_callback equinox.debug.backward_nan
    """.split()
)
# Map a function over the leaves of a pytree, or over the elements of a sequence.
MAPPED = frozenset(
    "jax.tree.map jax.tree_util.tree_map jax.tree_map jax.tree_util.tree_map_with_path jax.tree.map_with_path".split()
)
SHARD_MAPS = frozenset({"jax.shard_map", "jax.experimental.shard_map.shard_map"})  # an argument whose spec is None may be static
STATIC_NUMBERS = ("static_argnums", "static_broadcasted_argnums")
# Code below these is traced for its shapes or its structure only: what it does besides is done on purpose.
ONCE = frozenset("jax.eval_shape jax.make_jaxpr flax.linen.compact haiku.transform haiku.transform_with_state".split())
