"""The test oracle of every transformation: run the original under NumPy and the converted code under JAX, and compare."""

import contextlib
import io
import textwrap
import warnings
from functools import lru_cache
from pathlib import Path

import jax
import numpy as np

from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import convert_files
from np2jax.tests.helpers.representative_calls import Seen

jax.config.update("jax_enable_x64", True)

PROVED_FOR: list[str] = []  # set by random_loops.py --dtypes
CONVERTED = ("proved", "assumed")  # the labels of functions that are converted


def convert_project(sources, unselected=(), **options):
    """Convert {"pkg/a.py": text}; returns ({path: text}, {function: FunctionOutcome}, [Diagnostic]). `unselected`: the files that
    the user did not name."""
    texts, functions, diagnostics = converted(tuple(sources.items()), tuple(unselected), tuple(sorted(options.items())))
    return dict(texts), {f.name: f for f in functions}, list(diagnostics)


@lru_cache(maxsize=32)
def converted(sources, unselected, options):
    """What becomes of a project; tests ask several times in a row. Tests that patch np2jax start with an empty cache."""
    files = []
    for name, text in sources:
        path = Path(name)
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        files.append(ProjectFile(path, module, textwrap.dedent(text).encode(), selected=name not in unselected))
    done = convert_files(files, Options(strict=True, **dict(options)))
    texts = {str(file.path): file.data.decode() for file in files}
    for file, outcome in zip([file for file in files if file.selected], done.files, strict=True):
        assert not outcome.error, outcome.error
        texts[str(file.path)] = (file.data if outcome.data is None else outcome.data).decode()
    return texts, tuple(done.functions), tuple(d for f in done.files for d in f.diagnostics)


def convert(text, beside=None, path="m.py", **options):
    """Convert one file, the module `m`; returns its text, the functions by short name, the diagnostics. `beside`: files of the same
    project that are not converted. `path`: "m/__init__.py" makes it a package, which has callers elsewhere."""
    texts, functions, diagnostics = convert_project({path: text, **(beside or {})}, [*(beside or ())], **options)
    return texts[path], {name.removeprefix("m."): f for name, f in functions.items()}, diagnostics


def function(body, params="x: np.ndarray"):
    """A file with one function `f`."""
    return f"import numpy as np\n\n\ndef f({params}):\n" + "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))


def refused(text, function="f"):
    """The reason for which a function is left as NumPy."""
    _text, functions, _diagnostics = convert(text)
    outcome = functions[function]
    assert outcome.label == "kept", _text
    return f"{outcome.codes[0]} {outcome.reason}"


def check_transformed(before, after, **options):
    """Compare the converted body of a file exactly, except for imports and the switch to float64."""
    assert body(convert(before, **options)[0]) == textwrap.dedent(after).strip()


def check_noop(text, **options):
    """Check that nothing changes except the imports."""
    assert body(convert(text, **options)[0]) == body(textwrap.dedent(text))


def body(text):
    lines = [line for line in text.splitlines() if not line.startswith(("import ", "from ", "jax.config"))]
    return "\n".join(lines).strip()


def printed(text):
    """The output of a script."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        run(text, "__main__")
    return out.getvalue()


def run(text, name="m"):
    """Execute a file's text; return its namespace."""
    namespace = {"__name__": name}
    exec(compile(text, f"<{name}>", "exec"), namespace)
    return namespace


@lru_cache(maxsize=1)
def both(before, text):
    """The namespaces of both versions, cached: a function is compiled once for all calls that are compared."""
    return run(before), run(text)


@lru_cache(maxsize=8)
def seen_by(before, text, function):
    """The calls that have been compared, of a program that is checked several times in a row."""
    return Seen()


def check_agrees(before, *calls, function="f", keep=False, idempotent=True):
    """Check that the function converts (or, with `keep`, may stay NumPy) and agrees with NumPy for each tuple of arguments.

    Compared are the result, dtype, shape, and the arguments that the function changes. Returns the converted text.
    """
    before = textwrap.dedent(before)
    text, functions, _diagnostics = convert(before)
    outcome = functions[function]
    assert keep or outcome.label != "kept", f"kept: {outcome.codes} {outcome.reason}"
    if idempotent:
        assert convert(text)[0] == text, "converting twice changes something"
    seen = seen_by(before, text, function)
    for arguments in calls:
        if seen.adds(arguments) and agrees_on(before, text, outcome, arguments, function):
            seen.add(arguments)
    return text


def agrees_on(before, text, outcome, arguments, function="f", beside=0):
    """Compare one call; raise AssertionError with the converted text if the versions differ. `beside`: see `compare_values`. What is
    proved is also compared for arrays of the dtypes in `PROVED_FOR`."""
    ran = agrees_as_given(before, text, outcome, arguments, function, beside)
    for dtype in PROVED_FOR if outcome.label == "proved" else ():
        agrees_as_given(before, text, outcome, [of_dtype(a, dtype) for a in arguments], function, beside)
    return ran


def of_dtype(value, dtype):
    """A floating-point array in another dtype; where that is one of integers, NaN and infinity become small ones."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    return (value if np.dtype(dtype).kind == "f" else np.nan_to_num(value, nan=0, posinf=3, neginf=-3)).astype(dtype)


def agrees_as_given(before, text, outcome, arguments, function="f", beside=0):
    copies = [copied(a) for a in arguments]
    with np.errstate(all="ignore"):
        try:
            want = both(before, text)[0][function](*copies)
        except Exception:
            both.cache_clear()  # it may have changed the state of the module
            return False  # a call that NumPy rejects is not compared
    given = [as_jax(a) if outcome.label != "kept" else copied(a) for a in arguments]
    got = both(before, text)[1][function](*given)
    if outcome.label == "kept":
        written_back = given
    else:
        got, written_back = unpacked(got, outcome, given, arguments)
    note = f"\n{text}\narguments: {arguments!r}\n"
    difference = compare_values(got, want, beside=beside)
    assert not difference, f"{difference}{note}"
    for position, (mine, theirs) in enumerate(zip(written_back, copies, strict=True)):
        difference = compare_values(mine, theirs, beside=beside)
        assert not difference, f"argument {position}: {difference}{note}"
    return True


def agrees_on_vectors(before, text, outcome, seed):
    """Compare calls with two vectors of length 3 and of length 2, some with NaN or infinity. Returns whether NumPy ran one."""
    rng, ran = np.random.default_rng(seed), False
    for n in (3, 2):
        x, y = rng.normal(size=n).round(1), rng.normal(size=n).round(1)
        if rng.random() < 0.2:
            x[int(rng.integers(n))] = rng.choice([np.nan, np.inf])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ran |= agrees_on(before, text, outcome, (x, y), beside=1)
    return ran


def agrees_or_asserts(before, text, outcome, arguments, beside=0):
    """As `agrees_on`, but return False if the converted code asserts that it does not support such arguments."""
    try:
        return agrees_on(before, text, outcome, arguments, beside=beside)
    except AssertionError as error:
        if str(error):
            raise
        return False


def unpacked(got, outcome, given, arguments):
    """The original results of a converted call, and its arguments after the call."""
    names = parameters(outcome)
    after = list(given)
    if not outcome.returns:
        return got, after
    values = list(got) if isinstance(got, tuple) else [got]
    own, rest = values[: outcome.results], values[outcome.results :]
    already = dict(outcome.already)
    for name in outcome.returns:
        value = own[already[name]] if name in already else rest.pop(0)
        if names.index(name) < len(after):
            after[names.index(name)] = value
    return (None if outcome.results == 0 else own[0] if outcome.results == 1 else tuple(own)), after


def parameters(outcome):
    return list(outcome.params)


def compare_values(mine, theirs, where="result", beside=0, rounded=0.0):
    """The difference, "" if there is none: structure, shape, dtype (exactly), values (to rounding, NaN equal).

    `beside`: the magnitude of numbers that were summed, whose rounding error is no difference. `rounded`: the relative
    tolerance for a wide result that was computed from narrow values, which are rounded differently.
    """
    if isinstance(theirs, (tuple, list)):
        if not isinstance(mine, (tuple, list)) or len(mine) != len(theirs):
            return f"{where}: {mine!r}, NumPy {theirs!r}"
        found = (
            compare_values(m, t, f"{where}[{i}]", beside, rounded) for i, (m, t) in enumerate(zip(mine, theirs, strict=True))
        )
        return next((f for f in found if f), "")
    if isinstance(theirs, dict):
        if not isinstance(mine, dict) or set(mine) != set(theirs):
            return f"{where}: {mine!r}, NumPy {theirs!r}"
        found = (compare_values(mine[k], theirs[k], f"{where}[{k!r}]", beside, rounded) for k in theirs)
        return next((f for f in found if f), "")
    if theirs is None or isinstance(theirs, str):
        return "" if mine is theirs or mine == theirs else f"{where}: {mine!r}, NumPy {theirs!r}"
    got, want = np.asarray(mine), np.asarray(theirs)
    if got.dtype == object or want.dtype == object:
        return "" if mine is theirs or mine == theirs else f"{where}: {mine!r}, NumPy {theirs!r}"
    if got.shape != want.shape:
        return f"{where}: shape {got.shape}, NumPy {want.shape}"
    exact = isinstance(theirs, (np.ndarray, np.generic))
    if (got.dtype != want.dtype) if exact else (got.dtype.kind != want.dtype.kind):
        return f"{where}: dtype {got.dtype}, NumPy {want.dtype}"
    rtol = {2: 1e-2, 4: 2e-5, 8: 1e-9, 16: 1e-9}.get(want.dtype.itemsize, 1e-9) if want.dtype.kind in "fc" else 0
    if want.dtype == np.complex64:
        rtol = 2e-5
    rtol = max(rtol, rounded) if want.dtype.kind in "fc" else 0
    scale = np.max(np.abs(want[np.isfinite(want)]), initial=beside) if want.dtype.kind in "fc" else 0
    floating = want.dtype.kind in "fc"
    tiny = np.finfo(want.dtype).tiny if floating and want.dtype.itemsize > 2 else 0  # XLA flushes subnormal numbers to zero
    if not np.allclose(got, want, rtol=rtol, atol=max(rtol * scale, tiny) if floating else 0, equal_nan=floating):
        return f"{where}: {got!r}, NumPy {want!r}"
    return ""


def copied(value):
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, (list, tuple)):
        return type(value)(copied(v) for v in value)
    if isinstance(value, dict):
        return {k: copied(v) for k, v in value.items()}
    return value


def as_jax(value):
    if isinstance(value, np.ndarray):
        return jax.device_put(value, may_alias=False)  # `jnp.asarray` compiles a program for each shape
    if isinstance(value, (list, tuple)):
        return type(value)(as_jax(v) for v in value)
    if isinstance(value, dict):
        return {k: as_jax(v) for k, v in value.items()}
    return value
