"""Names that JAX has removed: the version without them, and what to use instead. Each is from the change log of JAX, or from a
comparison of its versions. A name in parentheses is an argument."""

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
    ShapedArray                     0.4.14  jax.core.ShapedArray
    abstract_arrays                 0.4.17  jax.core
    api                             0.2.21  jax
    clear_backends                  0.4.36  jax.extend.backend.clear_backends
    config.config                   0.4.25  jax.config
    core.ClosedJaxpr                0.6.0   jax.extend.core.ClosedJaxpr
    core.ConcreteArray              0.4.36
    core.ConcretizationTypeError    0.7.0   jax.errors.ConcretizationTypeError
    core.Jaxpr                      0.6.0   jax.extend.core.Jaxpr
    core.JaxprEqn                   0.6.0   jax.extend.core.JaxprEqn
    core.Literal                    0.6.0   jax.extend.core.Literal
    core.Primitive                  0.6.0   jax.extend.core.Primitive
    core.Token                      0.6.0   jax.extend.core.Token
    core.Var                        0.6.0   jax.extend.core.Var
    core.call_p                     0.7.0
    core.check_jaxpr                0.12.0
    core.concrete_aval              0.6.0
    core.concrete_or_error          0.12.0
    core.find_top_trace             0.12.0
    core.full_lower                 0.6.0
    core.gensym                     0.12.0
    core.get_aval                   0.10.0  jax.typeof
    core.is_constant_dim            0.12.0
    core.is_constant_shape          0.12.0
    core.jaxpr_as_fun               0.6.0   jax.extend.core.jaxpr_as_fun
    core.mapped_aval                0.10.0
    core.raise_to_shaped            0.6.0   jax.typeof
    core.subjaxprs                  0.10.0
    core.trace_state_clean          0.7.0
    core.unmapped_aval              0.10.0
    curry                           0.2.21  functools.partial
    device_put_replicated           0.10.0  jax.device_put
    device_put_sharded              0.10.0  jax.device_put
    dlpack.to_dlpack                0.7.0   x.__dlpack__()
    experimental.PartitionSpec      0.4.11  jax.sharding.PartitionSpec
    experimental.array_api          0.5.0   jax.numpy
    experimental.disable_x64        0.9.0   jax.enable_x64(False)
    experimental.enable_x64         0.9.0   jax.enable_x64
    experimental.export             0.4.36  jax.export
    experimental.global_device_array 0.4.7  jax.Array
    experimental.host_callback      0.4.35  jax.pure_callback
    experimental.layout.DeviceLocalLayout 0.7.0 jax.experimental.layout.Layout
    experimental.loops              0.3.16  jax.lax
    experimental.maps               0.4.31  jax.shard_map
    experimental.mutable_array      0.9.0   jax.new_ref
    experimental.optimizers         0.3.16  jax.example_libraries.optimizers
    experimental.pjit.PartitionSpec 0.4.11  jax.sharding.PartitionSpec
    experimental.stax               0.3.16  jax.example_libraries.stax
    extend.ffi                      0.8.0   jax.ffi
    interpreters.pxla.Mesh          0.4.11  jax.sharding.Mesh
    interpreters.pxla.PartitionSpec 0.4.11  jax.sharding.PartitionSpec
    interpreters.xla.DeviceArray    0.4.7   jax.Array
    interpreters.xla.abstractify    0.7.0
    interpreters.xla.pytype_aval_mappings 0.7.0
    lax.infeed                      0.7.0
    lax.outfeed                     0.7.0
    lax.prod                        0.4.16  math.prod
    lax.tie_in                      0.4.31
    lax.zeros_like_array            0.9.0   jax.numpy.zeros_like
    lib.xla_bridge                  0.8.0   jax.extend.backend
    lib.xla_client                  0.8.0
    lib.xla_extension               0.8.0
    linear_util                     0.4.24  jax.extend.linear_util
    mask                            0.3.16
    nn.log_softmax(initial)         0.6.0
    nn.normalize                    0.3.16  jax.nn.standardize
    nn.softmax(initial)             0.6.0
    numpy.DeviceArray               0.4.10  jax.Array
    numpy.NINF                      0.4.24  -jnp.inf
    numpy.NZERO                     0.4.24  -0.0
    numpy.PZERO                     0.4.24  0.0
    numpy.alltrue                   0.4.16  jax.numpy.all
    numpy.clip(a_max)               0.10.0  max
    numpy.clip(a_min)               0.10.0  min
    numpy.cumproduct                0.4.16  jax.numpy.cumprod
    numpy.fix                       0.10.0  jax.numpy.trunc
    numpy.in1d                      0.4.24  jax.numpy.isin
    numpy.issubsctype               0.4.24  jax.numpy.issubdtype
    numpy.msort                     0.4.9   jnp.sort(x, axis=0)
    numpy.percentile(interpolation) 0.9.0   method
    numpy.product                   0.4.16  jax.numpy.prod
    numpy.quantile(interpolation)   0.9.0   method
    numpy.reshape(newshape)         0.6.0   shape
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
    prng                            0.4.24  jax.extend.random
    pxla                            0.4.14  jax.interpreters.pxla
    random.KeyArray                 0.4.24  jax.Array
    random.PRNGKeyArray             0.4.24  jax.Array
    random.shuffle                  0.4.31  jax.random.permutation
    scipy.linalg.solve(sym_pos)     0.4.21  assume_a="pos"
    scipy.linalg.tril               0.4.24  jax.numpy.tril
    scipy.linalg.triu               0.4.24  jax.numpy.triu
    scipy.special.sph_harm          0.10.0  jax.scipy.special.sph_harm_y
    sharding.PmapSharding           0.10.0  jax.sharding.NamedSharding
    sharding.PositionalSharding     0.7.0   jax.sharding.NamedSharding
    sharding.use_mesh               0.7.1   jax.set_mesh
    soft_pmap                       0.3.18  jax.vmap
    spmd_mode                       0.7.0
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
    treedef_is_leaf                 0.6.0   jax.tree_util.treedef_is_leaf
    util                            0.8.0
    xla_computation                 0.4.34  jax.jit(f).lower(x)
""")
