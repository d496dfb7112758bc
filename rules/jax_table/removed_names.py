"""Names that JAX has removed: the version without them, and what to use instead. Each is from the change log of JAX, or from a
comparison of its versions. A name in parentheses is an argument. A version after "@" is that of the section of the change log, "-" none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Removed(NamedTuple):
    """`version`: the first without the name. `instead`: a dotted name, or a few words; "" if nothing replaces it. `cited`: the version
    in whose section the change log says so, or that the name is deprecated; "" if a comparison of versions tells it."""

    version: str
    instead: str
    cited: str

    @property
    def link(self) -> str:
        return f"{CHANGE_LOG}#{SECTIONS[self.cited]}" if self.cited else ""


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers that compare: "0.6" is (0, 6, 0)."""
    found = [int(part) for part in version.split(".")]
    return tuple(found + [0] * (3 - len(found)))


def _rows(text: str) -> dict[str, Removed]:
    found = {}
    for line in text.strip().splitlines():
        name, versions, *instead = line.split(None, 2)
        version, _, cited = versions.partition("@")
        cited = "" if cited == "-" else cited or version
        found[f"jax.{name}"] = Removed(version, instead[0].strip() if instead else "", cited)
    return found


CHANGE_LOG = "https://docs.jax.dev/en/latest/changelog.html"
SECTIONS = {  # of the change log, by version
    "-".join(["0", *anchor.split("-")[2:4]]).replace("-", "."): anchor
    for anchor in """
    jax-0-2-21-sept-23-2021
    jax-0-2-22-oct-12-2021
    jax-0-3-2-march-16-2022
    jax-0-3-5-april-7-2022
    jax-0-3-15-july-22-2022
    jax-0-3-16
    jax-0-3-18-sep-26-2022
    jax-0-4-1-dec-13-2022
    jax-0-4-7-march-27-2023
    jax-0-4-9-may-9-2023
    jax-0-4-11-may-31-2023
    jax-0-4-14-july-27-2023
    jax-0-4-16-sept-18-2023
    jax-0-4-17-oct-3-2023
    jax-0-4-21-dec-4-2023
    jax-0-4-24-feb-6-2024
    jax-0-4-25-feb-26-2024
    jax-0-4-26-april-3-2024
    jax-0-4-28-may-9-2024
    jax-0-4-29-june-10-2024
    jax-0-4-31-july-29-2024
    jax-0-4-34-october-4-2024
    jax-0-4-35-oct-22-2024
    jax-0-4-36-dec-5-2024
    jax-0-4-38-dec-17-2024
    jax-0-5-0-jan-17-2025
    jax-0-6-0-april-16-2025
    jax-0-7-0-july-22-2025
    jax-0-7-1-august-20-2025
    jax-0-8-0-october-15-2025
    jax-0-8-2-december-18-2025
    jax-0-9-0-january-20-2026
    jax-0-10-0-april-16-2026
    jax-0-11-0-july-16-2026
    """.split()
}
# Those whose successor takes the same arguments and gives the same result.
RENAMED = frozenset(
    """
    numpy.DeviceArray numpy.alltrue numpy.cumproduct numpy.fix numpy.in1d numpy.issubsctype numpy.product numpy.round_ numpy.row_stack
    numpy.sometrue numpy.trapz random.KeyArray random.PRNGKeyArray interpreters.xla.DeviceArray tree_all tree_flatten tree_leaves
    tree_map tree_multimap tree_reduce tree_structure tree_transpose tree_unflatten tree_util.tree_multimap
    """.split()
)
REMOVED: Mapping[str, Removed] = _rows("""
    ShapedArray                     0.4.14          jax.core.ShapedArray
    abstract_arrays                 0.4.17          jax.core
    api                             0.2.21          jax
    clear_backends                  0.4.36          jax.extend.backend.clear_backends
    config.config                   0.4.25          jax.config
    core.ClosedJaxpr                0.6.0           jax.extend.core.ClosedJaxpr
    core.ConcreteArray              0.4.36@-
    core.ConcretizationTypeError    0.7.0           jax.errors.ConcretizationTypeError
    core.Jaxpr                      0.6.0           jax.extend.core.Jaxpr
    core.JaxprEqn                   0.6.0           jax.extend.core.JaxprEqn
    core.Literal                    0.6.0           jax.extend.core.Literal
    core.Primitive                  0.6.0           jax.extend.core.Primitive
    core.Token                      0.6.0           jax.extend.core.Token
    core.Var                        0.6.0           jax.extend.core.Var
    core.call_p                     0.7.0
    core.check_jaxpr                0.11.0
    core.concrete_aval              0.6.0
    core.concrete_or_error          0.11.0
    core.find_top_trace             0.11.0
    core.full_lower                 0.6.0
    core.gensym                     0.11.0
    core.get_aval                   0.10.0@0.8.2    jax.typeof
    core.is_constant_dim            0.11.0
    core.is_constant_shape          0.11.0
    core.jaxpr_as_fun               0.6.0           jax.extend.core.jaxpr_as_fun
    core.mapped_aval                0.10.0@0.8.2
    core.raise_to_shaped            0.6.0           jax.typeof
    core.subjaxprs                  0.10.0@0.8.2
    core.trace_state_clean          0.7.0
    core.unmapped_aval              0.10.0@0.8.2
    curry                           0.2.21@0.4.14   functools.partial
    device_put_replicated           0.10.0          jax.device_put
    device_put_sharded              0.10.0          jax.device_put
    dlpack.to_dlpack                0.7.0@0.6.0     x.__dlpack__()
    experimental.PartitionSpec      0.4.11          jax.sharding.PartitionSpec
    experimental.array_api          0.5.0           jax.numpy
    experimental.disable_x64        0.9.0@0.8.0     jax.enable_x64(False)
    experimental.enable_x64         0.9.0@0.8.0     jax.enable_x64
    experimental.export             0.4.36          jax.export
    experimental.global_device_array 0.4.7@0.4.1     jax.Array
    experimental.host_callback      0.4.35          jax.pure_callback
    experimental.layout.DeviceLocalLayout 0.7.0           jax.experimental.layout.Layout
    experimental.loops              0.3.16          jax.lax
    experimental.maps               0.4.31@0.4.26   jax.shard_map
    experimental.mutable_array      0.9.0@-         jax.new_ref
    experimental.optimizers         0.3.16          jax.example_libraries.optimizers
    experimental.pjit.PartitionSpec 0.4.11          jax.sharding.PartitionSpec
    experimental.stax               0.3.16          jax.example_libraries.stax
    extend.ffi                      0.8.0           jax.ffi
    interpreters.pxla.Mesh          0.4.11          jax.sharding.Mesh
    interpreters.pxla.PartitionSpec 0.4.11          jax.sharding.PartitionSpec
    interpreters.xla.DeviceArray    0.4.7           jax.Array
    interpreters.xla.abstractify    0.7.0
    interpreters.xla.pytype_aval_mappings 0.7.0
    lax.infeed                      0.7.0
    lax.outfeed                     0.7.0
    lax.prod                        0.4.16          math.prod
    lax.tie_in                      0.4.31@0.4.29
    lax.zeros_like_array            0.9.0@0.7.1     jax.numpy.zeros_like
    lib.xla_bridge                  0.8.0           jax.extend.backend
    lib.xla_client                  0.8.0
    lib.xla_extension               0.8.0
    linear_util                     0.4.24          jax.extend.linear_util
    mask                            0.3.16
    nn.log_softmax(initial)         0.6.0@0.4.36
    nn.normalize                    0.3.16@0.3.5    jax.nn.standardize
    nn.softmax(initial)             0.6.0@0.4.36
    numpy.DeviceArray               0.4.10@0.4.7    jax.Array
    numpy.NINF                      0.4.24          -jnp.inf
    numpy.NZERO                     0.4.24          -0.0
    numpy.PZERO                     0.4.24          0.0
    numpy.alltrue                   0.4.16          jax.numpy.all
    numpy.clip(a_max)               0.10.0          max
    numpy.clip(a_min)               0.10.0          min
    numpy.cumproduct                0.4.16          jax.numpy.cumprod
    numpy.fix                       0.10.0@0.9.0    jax.numpy.trunc
    numpy.in1d                      0.4.24          jax.numpy.isin
    numpy.issubsctype               0.4.24          jax.numpy.issubdtype
    numpy.msort                     0.4.9           jnp.sort(x, axis=0)
    numpy.percentile(interpolation) 0.9.0@0.8.0     method
    numpy.product                   0.4.16          jax.numpy.prod
    numpy.quantile(interpolation)   0.9.0@0.8.0     method
    numpy.reshape(newshape)         0.6.0@0.4.28    shape
    numpy.round_                    0.4.38          jax.numpy.round
    numpy.row_stack                 0.4.24          jax.numpy.vstack
    numpy.sometrue                  0.4.16          jax.numpy.any
    numpy.trapz                     0.4.24          jax.numpy.trapezoid
    ops.index                       0.3.2@0.2.22    x.at[index]
    ops.index_add                   0.3.2           x.at[index].add
    ops.index_max                   0.3.2@0.2.22    x.at[index].max
    ops.index_min                   0.3.2@0.2.22    x.at[index].min
    ops.index_mul                   0.3.2@0.2.22    x.at[index].multiply
    ops.index_update                0.3.2           x.at[index].set
    partial                         0.2.21          functools.partial
    prng                            0.4.24          jax.extend.random
    pxla                            0.4.14          jax.interpreters.pxla
    random.KeyArray                 0.4.24          jax.Array
    random.PRNGKeyArray             0.4.24          jax.Array
    random.shuffle                  0.4.31          jax.random.permutation
    scipy.linalg.solve(sym_pos)     0.4.21          assume_a="pos"
    scipy.linalg.tril               0.4.24          jax.numpy.tril
    scipy.linalg.triu               0.4.24          jax.numpy.triu
    scipy.special.sph_harm          0.10.0@0.7.0    jax.scipy.special.sph_harm_y
    sharding.PmapSharding           0.10.0          jax.sharding.NamedSharding
    sharding.PositionalSharding     0.7.0@-         jax.sharding.NamedSharding
    sharding.use_mesh               0.7.1           jax.set_mesh
    soft_pmap                       0.3.18          jax.vmap
    spmd_mode                       0.7.0@-
    tree_all                        0.6.0@0.3.15    jax.tree.all
    tree_flatten                    0.6.0           jax.tree.flatten
    tree_leaves                     0.6.0           jax.tree.leaves
    tree_map                        0.6.0           jax.tree.map
    tree_multimap                   0.3.16          jax.tree.map
    tree_reduce                     0.6.0@0.3.15    jax.tree.reduce
    tree_structure                  0.6.0           jax.tree.structure
    tree_transpose                  0.6.0           jax.tree.transpose
    tree_unflatten                  0.6.0           jax.tree.unflatten
    tree_util.build_tree            0.7.0@0.6.0     jax.tree.unflatten
    tree_util.tree_multimap         0.3.16          jax.tree.map
    treedef_is_leaf                 0.6.0           jax.tree_util.treedef_is_leaf
    util                            0.8.0
    xla_computation                 0.4.34          jax.jit(f).lower(x)
""")
