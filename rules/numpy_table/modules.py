"""Modules that stay NumPy as a whole, with the public names of each (in NumPy 2.3 to 2.5).

A name of a module that this list lacks (older, newer, or below a class) gets the module's verdict all the same: see
`function`. The list serves its readers, and the test that walks the installed NumPy.
"""

from __future__ import annotations

from .entry import Entry
from .forms import host, names

TEXT = "JAX has no arrays of text"
MASKED = "masked arrays have no equivalent; use a boolean mask next to the array"
LAYOUT = "memory and its layout are not visible in JAX"
RECORDS = "JAX has no record arrays; keep one array for each field"
MACHINERY = "NumPy's own machinery"
FILES = "it reads or writes files"
TESTS = "it is for tests, which compare on the host"
MATRICES = "numpy.matrix has no equivalent; use two-dimensional arrays"
BY_VALUE = "the dtype of the result depends on values; give jax.numpy's function a complex array"

_TEXT = (
    "add capitalize center count decode encode endswith equal expandtabs find greater greater_equal index isalnum isalpha "
    "isdecimal isdigit islower isnumeric isspace istitle isupper less less_equal ljust lower lstrip mod multiply not_equal "
    "partition replace rfind rindex rjust rpartition rstrip startswith str_len strip swapcase title translate upper zfill"
)
_MASKED = (
    "MAError MaskError MaskType MaskedArray abs absolute add all allclose allequal alltrue amax amin angle anom anomalies any "
    "append apply_along_axis apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort "
    "around array asanyarray asarray atleast_1d atleast_2d atleast_3d average bitwise_and bitwise_or bitwise_xor bool_ ceil "
    "choose clip clump_masked clump_unmasked column_stack common_fill_value compress compress_cols compress_nd compress_rowcols "
    "compress_rows compressed concatenate conjugate convolve copy corrcoef correlate cos cosh count count_masked cov cumprod "
    "cumsum default_fill_value diag diagflat diagonal diff divide dot dstack ediff1d empty empty_like equal exp expand_dims "
    "fabs filled fix_invalid flatnotmasked_contiguous flatnotmasked_edges flatten_mask flatten_structured_array floor "
    "floor_divide fmod frombuffer fromflex fromfunction getdata getmask getmaskarray greater greater_equal harden_mask hsplit "
    "hstack hypot identity ids in1d indices inner innerproduct intersect1d isMA isMaskedArray is_mask is_masked isarray isin "
    "left_shift less less_equal log log10 log2 logical_and logical_not logical_or logical_xor make_mask make_mask_descr "
    "make_mask_none mask_cols mask_or mask_rowcols mask_rows masked masked_all masked_all_like masked_array masked_equal "
    "masked_greater masked_greater_equal masked_inside masked_invalid masked_less masked_less_equal masked_not_equal "
    "masked_object masked_outside masked_print_option masked_singleton masked_values masked_where max maximum "
    "maximum_fill_value mean median min minimum minimum_fill_value mod mr_ multiply mvoid ndenumerate ndim negative nomask "
    "nonzero not_equal notmasked_contiguous notmasked_edges ones ones_like outer outerproduct polyfit power prod product ptp "
    "put putmask ravel remainder repeat reshape resize right_shift round round_ row_stack set_fill_value setdiff1d setxor1d "
    "shape sin sinh size soften_mask sometrue sort sqrt squeeze stack std subtract sum swapaxes take tan tanh trace transpose "
    "true_divide union1d unique vander var vstack where zeros zeros_like"
)

# The module's verdict, and the names below it, which share the verdict.
_MODULES: dict[str, tuple[Entry, str]] = {
    "char": (host(TEXT), f"{_TEXT} array asarray chararray compare_chararrays join rsplit split splitlines"),
    "strings": (host(TEXT), f"{_TEXT} slice"),
    "ma": (host(MASKED), _MASKED),
    "ma.mrecords": (host(RECORDS), "MaskedRecords addfield fromarrays fromrecords fromtextfile mrecarray"),
    "ma.testutils": (
        host(TESTS),
        "TestCase almost approx assert_ assert_allclose assert_almost_equal assert_array_almost_equal "
        "assert_array_almost_equal_nulp assert_array_approx_equal assert_array_compare assert_array_equal assert_array_less "
        "assert_close assert_equal assert_equal_records assert_mask_equal assert_not_equal assert_raises fail_if_array_equal",
    ),
    "rec": (
        host(RECORDS),
        "array find_duplicate format_parser fromarrays fromfile fromrecords fromstring recarray record",
    ),
    "lib": (host(MACHINERY), "Arrayterator NumpyVersion add_docstring add_newdoc tracemalloc_domain"),
    "lib.array_utils": (host(MACHINERY), "byte_bounds normalize_axis_index normalize_axis_tuple"),
    "lib.format": (
        host(FILES),
        "ARRAY_ALIGN BUFFER_SIZE EXPECTED_KEYS GROWTH_AXIS_MAX_DIGITS MAGIC_LEN MAGIC_PREFIX descr_to_dtype drop_metadata "
        "dtype_to_descr header_data_from_array_1_0 isfileobj magic open_memmap read_array read_array_header_1_0 "
        "read_array_header_2_0 read_magic write_array write_array_header_1_0 write_array_header_2_0",
    ),
    "lib.introspect": (host(MACHINERY), "opt_func_info"),
    "lib.mixins": (host(MACHINERY), "NDArrayOperatorsMixin"),
    "lib.npyio": (host(FILES), "DataSource NpzFile"),
    "lib.recfunctions": (
        host(RECORDS),
        "append_fields apply_along_fields assign_fields_by_name drop_fields find_duplicates flatten_descr get_fieldstructure "
        "get_names get_names_flat join_by merge_arrays rec_append_fields rec_drop_fields rec_join recursive_fill_fields "
        "rename_fields repack_fields require_fields stack_arrays structured_to_unstructured unstructured_to_structured",
    ),
    "lib.stride_tricks": (host(LAYOUT), ""),
    "lib.user_array": (host(MACHINERY), "container"),
    "emath": (host(BY_VALUE), "arccos arcsin arctanh log log10 log2 logn power sqrt"),
    "testing": (
        host(TESTS),
        "BLAS_SUPPORTS_FPE HAS_LAPACK64 HAS_REFCOUNT IS_64BIT IS_EDITABLE IS_INSTALLED IS_MUSL IS_PYPY IS_PYSTON IS_WASM "
        "IgnoreException KnownFailureException NOGIL_BUILD NUMPY_ROOT SkipTest TestCase assert_ assert_no_gc_cycles "
        "assert_no_warnings assert_raises assert_raises_regex assert_string_equal assert_warns break_cycles build_err_msg "
        "check_support_sve clear_and_catch_warnings decorate_methods jiffies measure memusage print_assert_equal run_threaded "
        "rundocs runstring suppress_warnings tempdir temppath verbose",
    ),
    "testing.overrides": (
        host(TESTS),
        "allows_array_function_override allows_array_ufunc_override get_overridable_numpy_array_functions "
        "get_overridable_numpy_ufuncs",
    ),
    "testing.print_coercion_tables": (
        host(TESTS),
        "GenericObject obj2sctype print_cancast_table print_coercion_table print_new_cast_table",
    ),
    "ctypeslib": (host(LAYOUT), "as_array as_ctypes as_ctypes_type c_intp load_library ndpointer"),
    "exceptions": (
        host("JAX raises none of NumPy's exceptions", kind="unknown"),
        "AxisError ComplexWarning DTypePromotionError ModuleDeprecationWarning RankWarning TooHardError VisibleDeprecationWarning",
    ),
    "typing": (host("annotations for type checkers", kind="unknown"), "ArrayLike DTypeLike NBitBase NDArray"),
    "dtypes": (
        host("the classes of NumPy's dtypes", kind="dtype"),
        "BoolDType ByteDType BytesDType CLongDoubleDType Complex128DType Complex64DType DateTime64DType Float16DType Float32DType "
        "Float64DType Int16DType Int32DType Int64DType Int8DType IntDType LongDType LongDoubleDType LongLongDType ObjectDType "
        "ShortDType StrDType StringDType TimeDelta64DType UByteDType UInt16DType UInt32DType UInt64DType UInt8DType UIntDType "
        "ULongDType ULongLongDType UShortDType VoidDType register_dlpack_dtype",
    ),
    "version": (host("NumPy's version", kind="static"), "full_version git_revision release short_version version"),
    "linalg.lapack_lite": (
        host(MACHINERY),
        "LapackError dgelsd dgeqrf dorgqr xerbla zgelsd zgeqrf zungqr",
    ),
    "linalg.linalg": (host(MACHINERY), ""),
    "fft.helper": (host(MACHINERY), ""),
    "matrixlib": (host(MATRICES), ""),
    "matrixlib.defmatrix": (host(MATRICES), ""),
    "matlib": (host(MATRICES), "empty eye identity ones rand randn repmat zeros"),
    "f2py": (host("it compiles Fortran"), ""),
    "core": (host(MACHINERY), ""),
}

# Functions that test the types of their arguments, and treat an array that is not NumPy's differently.
_COMPARING = {
    "assert_equal": "actual desired err_msg verbose strict",
    "assert_almost_equal": "actual desired decimal err_msg verbose",
    "assert_approx_equal": "actual desired significant err_msg verbose",
    "assert_array_equal": "actual desired err_msg verbose strict",
    "assert_array_almost_equal": "actual desired decimal err_msg verbose",
    "assert_allclose": "actual desired rtol atol equal_nan err_msg verbose strict",
    "assert_array_less": "x y err_msg verbose strict",
    "assert_array_max_ulp": "a b maxulp dtype",
    "assert_array_almost_equal_nulp": "x y nulp",
    "assert_array_compare": "comparison x y err_msg verbose header precision equal_nan equal_inf strict names",
}
_BY_TYPE = ("assert_equal", "assert_almost_equal", "assert_approx_equal")


def _comparing(name: str, params: str) -> Entry:
    given = names(params)
    return host(TESTS, params, kind="none", arrays=given[:2] if name in _BY_TYPE else ())


NAMES: dict[str, tuple[str, ...]] = {module: names(below) for module, (_entry, below) in _MODULES.items()}
ENTRIES: dict[str, Entry] = {
    **{module: entry for module, (entry, _names) in _MODULES.items()},
    **{f"{module}.{name}": _MODULES[module][0] for module, below in NAMES.items() for name in below},
    **{f"testing.{name}": _comparing(name, params) for name, params in _COMPARING.items()},
}
