"""Names that JAX has removed: the version without them, and what to use instead. Each is from the change log of JAX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Removed(NamedTuple):
    """`version`: the first without the name. `instead`: a dotted name, or a few words; "" if nothing replaces it."""

    version: str
    instead: str


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers that compare: "0.6" is (0, 6, 0)."""
    found = [int(part) for part in version.split(".")]
    return tuple(found + [0] * (3 - len(found)))


def _rows(text: str) -> dict[str, Removed]:
    found = {}
    for line in text.strip().splitlines():
        name, version, *instead = line.split(None, 2)
        found[f"jax.{name}"] = Removed(version, instead[0].strip() if instead else "")
    return found


# Those whose successor takes the same arguments and gives the same result.
RENAMED = frozenset(
    """
    numpy.DeviceArray numpy.alltrue numpy.cumproduct numpy.fix numpy.in1d numpy.issubsctype numpy.product numpy.round_ numpy.row_stack
    numpy.sometrue numpy.trapz random.KeyArray random.PRNGKeyArray interpreters.xla.DeviceArray tree_all tree_flatten tree_leaves
    tree_map tree_multimap tree_reduce tree_structure tree_transpose tree_unflatten tree_util.tree_multimap
    """.split()
)
REMOVED: Mapping[str, Removed] = _rows("""
    abstract_arrays                 0.4.17  jax.core
    api                             0.2.21  jax
    clear_backends                  0.4.36  jax.extend.backend.clear_backends
    config.config                   0.4.25  jax.config
    core.ConcreteArray              0.4.36
    core.Jaxpr                      0.6.0   jax.extend.core.Jaxpr
    core.Primitive                  0.6.0   jax.extend.core.Primitive
    core.jaxpr_as_fun               0.6.0   jax.extend.core.jaxpr_as_fun
    curry                           0.2.21  functools.partial
    device_put_replicated           0.10.0  jax.device_put
    device_put_sharded              0.10.0  jax.device_put
    experimental.array_api          0.5.0   jax.numpy
    experimental.export             0.4.36  jax.export
    experimental.global_device_array 0.4.7  jax.Array
    experimental.host_callback      0.4.35  jax.pure_callback
    experimental.loops              0.3.16  jax.lax
    experimental.maps               0.4.31  jax.shard_map
    experimental.optimizers         0.3.16  jax.example_libraries.optimizers
    experimental.stax               0.3.16  jax.example_libraries.stax
    extend.ffi                      0.8.0   jax.ffi
    interpreters.xla.DeviceArray    0.4.7   jax.Array
    lax.prod                        0.4.16  math.prod
    lax.tie_in                      0.4.31
    linear_util                     0.4.24  jax.extend.linear_util
    mask                            0.3.16
    nn.normalize                    0.3.16  jax.nn.standardize
    numpy.DeviceArray               0.4.10  jax.Array
    numpy.NINF                      0.4.24  -jnp.inf
    numpy.NZERO                     0.4.24  -0.0
    numpy.PZERO                     0.4.24  0.0
    numpy.alltrue                   0.4.16  jax.numpy.all
    numpy.cumproduct                0.4.16  jax.numpy.cumprod
    numpy.fix                       0.10.0  jax.numpy.trunc
    numpy.in1d                      0.4.24  jax.numpy.isin
    numpy.issubsctype               0.4.24  jax.numpy.issubdtype
    numpy.msort                     0.4.9   jnp.sort(x, axis=0)
    numpy.product                   0.4.16  jax.numpy.prod
    numpy.round_                    0.4.38  jax.numpy.round
    numpy.row_stack                 0.4.24  jax.numpy.vstack
    numpy.sometrue                  0.4.16  jax.numpy.any
    numpy.trapz                     0.4.24  jax.numpy.trapezoid
    ops.index                       0.3.2   x.at[index]
    ops.index_add                   0.3.2   x.at[index].add
    ops.index_max                   0.3.2   x.at[index].max
    ops.index_min                   0.3.2   x.at[index].min
    ops.index_mul                   0.3.2   x.at[index].multiply
    ops.index_update                0.3.2   x.at[index].set
    partial                         0.2.21  functools.partial
    random.KeyArray                 0.4.24  jax.Array
    random.PRNGKeyArray             0.4.24  jax.Array
    random.shuffle                  0.4.31  jax.random.permutation
    scipy.linalg.tril               0.4.24  jax.numpy.tril
    scipy.linalg.triu               0.4.24  jax.numpy.triu
    sharding.use_mesh               0.7.1   jax.set_mesh
    soft_pmap                       0.3.18  jax.vmap
    tree_all                        0.6.0   jax.tree.all
    tree_flatten                    0.6.0   jax.tree.flatten
    tree_leaves                     0.6.0   jax.tree.leaves
    tree_map                        0.6.0   jax.tree.map
    tree_multimap                   0.3.16  jax.tree.map
    tree_reduce                     0.6.0   jax.tree.reduce
    tree_structure                  0.6.0   jax.tree.structure
    tree_transpose                  0.6.0   jax.tree.transpose
    tree_unflatten                  0.6.0   jax.tree.unflatten
    tree_util.build_tree            0.7.0   jax.tree.unflatten
    tree_util.tree_multimap         0.3.16  jax.tree.map
    util                            0.8.0
    xla_computation                 0.4.34  jax.jit(f).lower(x)
""")
