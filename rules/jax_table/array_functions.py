"""The functions and methods of JAX's arrays: which return no tracer, which need concrete arguments, which results need values."""

from __future__ import annotations

from collections.abc import Mapping

ARRAY_MODULES = (
    "jax.numpy.",
    "jax.lax.",
    "jax.nn.",
    "jax.scipy.",
    "jax.random.",
    "jax.image.",
    "jax.ops.",
)
# What these return is known while JAX traces.
STATIC_RESULTS = frozenset(
    """
    shape ndim size result_type promote_types issubdtype isdtype dtype finfo iinfo broadcast_shapes iscomplexobj isrealobj isscalar
    can_cast get_printoptions set_printoptions printoptions einsum_path iterable save savez load key_impl padtype_to_pads
    conv_dimension_numbers conv_general_permutations conv_general_shape_tuple conv_shape_tuple conv_transpose_shape_tuple axis_size vectorize frompyfunc ufunc Precision ConvDimensionNumbers GatherDimensionNumbers
    ScatterDimensionNumbers RoundingMethod RandomAlgorithm GatherScatterMode DotAlgorithm DotAlgorithmPreset initializers
    """.split()
)
# Results that are tuples, lists or pytrees instead of one array, or that may be.
TUPLES = frozenset(
    """
    meshgrid split unstack array_split vsplit hsplit dsplit nonzero unique unique_all unique_counts unique_inverse divmod modf frexp
    histogram histogram2d histogramdd ix_ indices broadcast_arrays unravel_index tril_indices triu_indices diag_indices slogdet eig
    eigh qr svd lu lu_factor cho_factor top_k sort_key_val polyfit polydiv lstsq gradient atleast_1d atleast_2d atleast_3d sort
    approx_max_k approx_min_k schur polar expm_frechet psum all_gather pmean pmax pmin ppermute all_to_all optimization_barrier
    stop_gradient with_sharding_constraint custom_linear_solve cg gmres bicgstab minimize custom_root reduce rng_bit_generator pbroadcast pvary pcast associative_scan map
    switch fori_loop while_loop scan cond reduce_window variance_scaling
    """.split()
)
# Functions of libraries that use JAX: each returns one array.
OPTAX_ARRAYS = frozenset(
    """
    global_norm l2_loss squared_error huber_loss log_cosh cosine_distance cosine_similarity hinge_loss kl_divergence ctc_loss
    softmax_cross_entropy softmax_cross_entropy_with_integer_labels sigmoid_binary_cross_entropy sigmoid_focal_loss
    smooth_labels safe_norm safe_root_mean_squares safe_int32_increment tree_norm tree_sum tree_vdot
    """.split()
)
ACTIVATIONS = frozenset(
    """
    relu relu6 gelu elu celu selu silu swish sigmoid log_sigmoid softmax log_softmax softplus soft_sign leaky_relu hard_tanh tanh
    hard_sigmoid hard_silu hard_swish glu standardize one_hot avg_pool max_pool min_pool
    """.split()
)
# Modules of Flax, Equinox and Haiku whose call with an array returns an array.
LAYERS = {
    "flax.linen": frozenset(
        """
        Dense DenseGeneral Conv ConvTranspose ConvLocal Einsum Embed BatchNorm LayerNorm GroupNorm RMSNorm InstanceNorm Dropout
        MultiHeadDotProductAttention SelfAttention MultiHeadAttention
        """.split()
    ),
    "flax.nnx": frozenset("Linear LinearGeneral Conv ConvTranspose Einsum Embed BatchNorm LayerNorm GroupNorm RMSNorm".split()),
    "equinox.nn": frozenset(
        """
        Linear MLP Conv Conv1d Conv2d Conv3d ConvTranspose ConvTranspose1d ConvTranspose2d LayerNorm RMSNorm GroupNorm Dropout
        Embedding Lambda PReLU AvgPool1d AvgPool2d MaxPool1d MaxPool2d GRUCell
        """.split()
    ),
    "haiku": frozenset("Linear Conv1D Conv2D Conv3D Conv2DTranspose Embed LayerNorm RMSNorm GroupNorm BatchNorm".split()),
    "haiku.nets": frozenset({"MLP"}),
}
TYPES = frozenset(
    """
    float16 float32 float64 bfloat16 int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64 complex64 complex128 bool_ float_
    int_ uint complex_ single double csingle cdouble float8_e4m3fn float8_e5m2
    """.split()
)
NOT_FUNCTIONS = frozenset(
    "ndarray pi e inf nan newaxis generic number integer signedinteger unsignedinteger inexact floating complexfloating character flexible object_ s_ index_exp euler_gamma ScalarType".split()
)
# Attributes of arrays that are known while JAX traces.
STATIC_ATTRIBUTES = frozenset("shape ndim size dtype itemsize nbytes aval sharding weak_type at vma".split())
ARRAY_ATTRIBUTES = frozenset("T mT real imag".split())
# Methods that only arrays have, and that return arrays.
ARRAY_METHODS = frozenset(
    """
    all any argmax argmin argsort astype clip conj conjugate cumprod cumsum diagonal dot flatten max mean min prod ptp ravel
    reshape round sort squeeze std sum swapaxes take transpose var searchsorted compress choose repeat trace nonzero argpartition
    """.split()
)
# Functions that return the changed array or pytree, and whose names sound as if they changed their argument.
LIKE_IN_PLACE = frozenset(
    """
    jax.lax.dynamic_update_slice jax.lax.dynamic_update_slice_in_dim jax.lax.dynamic_update_index_in_dim jax.numpy.append
    jax.numpy.delete jax.numpy.fill_diagonal jax.numpy.insert jax.numpy.place jax.numpy.put jax.numpy.put_along_axis
    jax.numpy.resize jax.numpy.sort optax.apply_updates optax.incremental_update equinox.apply_updates equinox.tree_at
    """.split()
)
CONVERSIONS = frozenset("item tolist tobytes tofile".split())


def of_library(name: str) -> bool:
    """Whether a function of Optax, Flax or Haiku returns one array."""
    library, _, rest = name.partition(".")
    last = rest.rpartition(".")[2]
    match library:
        case "optax":
            return last in OPTAX_ARRAYS
        case "flax":
            return rest.startswith(("linen.", "nnx.")) and last in ACTIVATIONS
        case "haiku":
            return last in ("get_parameter", "get_state")
    return False


def is_layer(name: str) -> bool:
    """Whether objects of a class of a library are called with an array, and return one."""
    module, _, last = name.rpartition(".")
    return last in LAYERS.get(module, ())


# Functions whose result has a shape that depends on values, unless the named argument is given.
VALUE_SHAPES: Mapping[str, str] = {
    "jax.numpy.nonzero": "size",
    "jax.numpy.flatnonzero": "size",
    "jax.numpy.argwhere": "size",
    "jax.numpy.unique": "size",
    "jax.numpy.unique_all": "size",
    "jax.numpy.unique_counts": "size",
    "jax.numpy.unique_inverse": "size",
    "jax.numpy.unique_values": "size",
    "jax.numpy.union1d": "size",
    "jax.numpy.intersect1d": "size",
    "jax.numpy.setdiff1d": "size",
    "jax.numpy.setxor1d": "size",
    "jax.numpy.extract": "size",
    "jax.numpy.compress": "size",
    "jax.numpy.bincount": "length",
    "jax.numpy.repeat": "total_repeat_length",
}
# The arguments, by position and name, that must be known while JAX traces: they give shapes.
SHAPE_ARGUMENTS: Mapping[str, tuple[tuple[int, str], ...]] = {
    "jax.numpy.zeros": ((0, "shape"),),
    "jax.numpy.ones": ((0, "shape"),),
    "jax.numpy.empty": ((0, "shape"),),
    "jax.numpy.full": ((0, "shape"),),
    "jax.numpy.eye": ((0, "N"), (1, "M")),
    "jax.numpy.identity": ((0, "n"),),
    "jax.numpy.tri": ((0, "N"), (1, "M")),
    "jax.numpy.arange": ((0, "start"), (1, "stop"), (2, "step")),
    "jax.numpy.linspace": ((2, "num"),),
    "jax.numpy.logspace": ((2, "num"),),
    "jax.numpy.geomspace": ((2, "num"),),
    "jax.numpy.broadcast_to": ((1, "shape"),),
    "jax.numpy.reshape": ((1, "shape"),),
    "jax.numpy.tile": ((1, "reps"),),
    "jax.numpy.split": ((1, "indices_or_sections"),),
    "jax.lax.broadcasted_iota": ((1, "shape"),),
    "jax.lax.iota": ((1, "size"),),
    "jax.lax.full": ((0, "shape"),),
    "jax.lax.dynamic_slice": ((2, "slice_sizes"),),
    "jax.lax.dynamic_slice_in_dim": ((2, "slice_size"),),
    "jax.lax.slice_in_dim": ((1, "start_index"), (2, "limit_index")),
    "jax.lax.top_k": ((1, "k"),),
    "jax.nn.one_hot": ((1, "num_classes"),),
    "jax.random.split": ((1, "num"),),
    "jax.random.normal": ((1, "shape"),),
    "jax.random.uniform": ((1, "shape"),),
    "jax.random.randint": ((1, "shape"),),
    "jax.random.bernoulli": ((2, "shape"),),
    "jax.random.gumbel": ((1, "shape"),),
    "jax.random.exponential": ((1, "shape"),),
    "jax.random.laplace": ((1, "shape"),),
    "jax.random.choice": ((2, "shape"),),
    "jax.random.truncated_normal": ((3, "shape"),),
    "jax.numpy.pad": ((1, "pad_width"),),
    "jax.numpy.indices": ((0, "dimensions"),),
    "jax.lax.scan": ((3, "length"),),
    "jax.ops.segment_sum": ((2, "num_segments"),),
    "jax.ops.segment_max": ((2, "num_segments"),),
    "jax.ops.segment_min": ((2, "num_segments"),),
}
# Functions of an array and an axis, in this order, and the methods of the same names, which get the axis first.
AXES = frozenset(
    """
    all any argmax argmin argsort cumprod cumsum max mean min prod ptp sort squeeze std sum var nanmax nanmin nansum nanmean median
    amax amin expand_dims flip
    """.split()
)
ANNOTATIONS = frozenset(
    """
    jax.Array jax.numpy.ndarray jaxtyping.Array chex.Array flax.typing.Array jax.core.Tracer
    jax.interpreters.xla.DeviceArray jax.numpy.DeviceArray
    """.split()
)
SHAPED_ANNOTATIONS = frozenset(
    "Float Int Shaped Num Inexact Real Complex UInt Integer Bool Float32 Float64 Int32 Key PRNGKeyArray Scalar".split()
)  # of jaxtyping
