"""Functions of Python and NumPy that have effects, or that ask a tracer for its value."""

from __future__ import annotations

# NumPy's functions that call a method of their argument, or ask only for its type, work for tracers.
DUCK_TYPED = frozenset(
    """
    sum prod mean std var max min amax amin any all argmax argmin argsort cumsum cumprod clip reshape ravel transpose squeeze
    swapaxes take repeat diagonal trace round around shape ndim size result_type iscomplexobj isrealobj isscalar issubdtype dtype
    finfo iinfo can_cast promote_types broadcast_shapes compress choose ptp searchsorted nonzero iterable index_exp
    newaxis ndindex errstate printoptions set_printoptions ndarray generic common_type min_scalar_type broadcast lib random
    """.split()
)
CLOCKS = frozenset(
    """
    time.time time.perf_counter time.monotonic time.process_time time.time_ns time.perf_counter_ns time.monotonic_ns
    timeit.default_timer datetime.datetime.now datetime.datetime.utcnow datetime.date.today datetime.datetime.today time.sleep
    """.split()
)
TIMERS = frozenset("time.time time.perf_counter time.monotonic timeit.default_timer time.perf_counter_ns time.time_ns".split())
REPEATING = frozenset({"timeit.timeit", "timeit.repeat"})  # time a function that they call again and again
OUTPUT = frozenset(
    """
    print open input sys.stdout.write sys.stderr.write pprint.pprint numpy.save numpy.savez numpy.savez_compressed numpy.savetxt
    numpy.load pickle.dump json.dump os.remove os.mkdir os.makedirs wandb.log mlflow.log_metric mlflow.log_metrics tqdm.write
    tqdm.tqdm.write
    """.split()
)
PLOTS = ("matplotlib.pyplot.", "seaborn.", "plotly.")
LOGGING = frozenset(
    f"{module}.{name}"
    for module in ("logging", "absl.logging")
    for name in "debug info warning error critical exception log".split()
)
CONTAINERS = {
    "collections.defaultdict": "dict",
    "collections.OrderedDict": "dict",
    "collections.Counter": "dict",
    "collections.deque": "list",
}
WRITERS = frozenset(  # what writes the numbers of a run to files
    "torch.utils.tensorboard.SummaryWriter tensorboardX.SummaryWriter flax.metrics.tensorboard.SummaryWriter".split()
)
WRITER = "writer"  # the name of such an object
LOGGERS = frozenset("logging.getLogger absl.logging.get_absl_logger".split())
SEEDED = frozenset(
    "numpy.random.default_rng numpy.random.RandomState numpy.random.Generator random.Random numpy.random.SeedSequence".split()
)
STATIC_MATH = frozenset("math.pi math.e math.inf math.nan math.tau math.prod".split())
