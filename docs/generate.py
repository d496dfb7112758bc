"""Write docs/limitations.md, docs/rules.md, docs/jax-rules.md, docs/control-flow.md and docs/coverage.md from the rules themselves, the dumps in
docs/architecture.md, and what the commands in docs/lint.md print; `--check` fails when they are stale.

usage: python docs/generate.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

import blocks
import console

from np2jax.rules.core.lint_rules import lint_rules
from np2jax.rules.core.refusals import REFUSALS, every_code
from np2jax.rules.core.registry import all_rules
from np2jax.rules.jax_table.removed_names import REMOVED, Removed
from np2jax.rules.numpy_table import coverage
from np2jax.rules.random_table import APIS
from np2jax.rules.random_table import coverage as randomness

HERE = Path(__file__).resolve().parent
NOTICE = "<!-- made by docs/generate.py: change the rules, not this file -->\n"

LIMITS = """# What np2jax does not do

If np2jax is not sure of a function, it leaves the function as NumPy (*kept* in the report). The function works as before, and the report
says why. The last part of this page lists the reasons, and what you can do about each. The first part is about converted functions.

## Known differences

The label *proved* promises that none of these matters; the label *assumed* names the conditions under which they do not
([assumptions.md](assumptions.md)). No diagnostic reports them.

### Dtypes and numbers

- **Python numbers under `jit`.** A parameter that is neither an array nor static is traced. Its integers have 64 bits and overflow; Python's
  grow. So functions without arrays stay Python, and so do loops in which an integer grows exponentially ([placement.md](placement.md)).
- **Unknown dtypes.** If nothing states the dtypes of a function's arguments, in-place updates keep their dtype, but mixed arithmetic follows
  JAX's promotion. For example, int32 with float32 gives float32 in JAX and float64 in NumPy; `x / 3`, `np.exp(x)` and the mean of an int32
  array are float32; `np.reciprocal` of integers gives floats. Known dtypes are cast or reported (NJ6xx), and `np2jax verify` tries other dtypes. np2jax relies on the dtypes that the
  calls in the project pass. If code outside of the project passes others, list the function under `public` in the settings.
- **Comparison with a number that does not fit.** For an array of unknown dtype, `x == -1` compares with -1.0 (NJ610). If the program uses an
  integer dtype that cannot hold 1000, `x > 1000` compares with 1000.0. If it uses an unsigned dtype, a function with
  `best = -1; if x[i] > best` is left as NumPy. In other programs such a number wraps around when it is combined with an array of small
  integers. So do a variable above 2**31 combined with a known int32, and a negative variable combined with a uint64.
- **Sums in a loop.** `s = 0.0; s += x[i]` and `out[i] += x[i, j]` sum an array of unknown dtype in that dtype: int64 overflows above 2**63, and
  float16 and float32 round, while NumPy sums in float64. Products of small integers that are summed (`C[i, j] += A[i, k] * B[k, j]`) do not
  overflow.
- **A loop index combined with small integers.** `x[i] * i` of int8 is int8 in NumPy. If the iterations run in parallel, it is int64 in JAX,
  unless the program uses int8: then the index is cast (NJ611). Sums of the index alone (`s -= i`) are not cast.
- **A Python number or an array element, depending on values** (`return 0` or `x[0]`, `v if v > 2 else 0`). JAX gives both the dtype of the
  element. NumPy gives each its own dtype, or the wider one inside an array.
- **Weak types.** A float64 that JAX creates from Python numbers (`jnp.where(mask, 1.0, 0.0)`, `jnp.full(n, 1.5)`, `jnp.arange(n) * 0.5`) does
  not widen float32 arrays; NumPy's does. It is cast where it is combined with an array of unknown dtype, if the program uses float32 (NJ601).
  The result of `x * 0.5` is weak if x holds integers; two such results of different dtypes may give float32.
- **`float()` and `int()` of a value computed by JAX** (NJ409) give arrays of rank 0, of float64 or int64. Combined with an array that may be
  float32, they give float64; a Python number would not. `int(nan)` raises in Python and is 0 in JAX.
- **Python integers** in local variables are int64 too: `a, b = b, a + b` wraps around. JAX raises OverflowError for a literal that does not
  fit.
- **Rounding.** `round(x, 2)` of a float rounds as `np.round` does: 2.675 becomes 2.68, in Python 2.67.
- **Integer powers.** If nothing is known about `x` and `y`, `x ** y` of an integer and a negative integer is wrong; Python gives a fraction.
- **Booleans as points** of numpy.polynomial, with float32 coefficients, give float32 in `polyval` and `lagval`, and float64 in NumPy.
- **Empty sums.** `sum(v for v in x if v > 0)` without any such `v` is the integer 0 in Python, and 0.0 in JAX.
- **Minimum and maximum of an empty selection.** `x[mask].max()` raises in NumPy; JAX gives -inf, or the smallest integer.
- **Infinities** in `interp`, `trapezoid`, `percentile` and `quantile` give NaN in one library and not in the other. NJ602 reports them where
  the code names them.
- **A number times False** is 0 in XLA, even for infinity and NaN; NumPy gives NaN.
- **Rounding errors.** XLA flushes subnormal numbers to zero, and compiled code may round in another order. Where NumPy gives exactly 0
  (`np.std` of one number), JAX may give 1e-18. On CPUs, XLA fuses a product and a sum and rounds once, so `a * b - c * d` of equal
  products may be 1e-17 instead of 0: a pivot rule that breaks exact ties may choose another row, and a loop that waits for an exact 0 may
  not end. `XLA_FLAGS=--xla_cpu_max_isa=AVX` prevents it. `alpha * A @ x` scales x in float64 (NJ903), so numbers near 1e308 may overflow in one version
  and not in the other. Chaotic programs diverge: for `nbody` of NPBench at preset M, two NumPy runs whose inputs differ by one bit are 5 %
  apart, and the converted program is 1 or 2 % away from them.

### Loops and branches

- **Reverse-mode derivatives of loops.** `jax.grad` raises ValueError for `for t in range(steps)`, which `jit` compiles once for all `steps`.
  Forward mode works (`jax.jvp`, `jax.jacfwd`). For reverse mode, use `np2jax convert --trip-counts static` (`trip-counts = "static"`): it makes
  `steps` a static argument. A loop that calls such a function with a computed number then stays Python. Loops with `while` or `break` have
  only forward-mode derivatives.
- **Loops without iterations.** JAX traces the body of a compiled loop even if it never runs: indexing an array of size 0 raises IndexError.
  Return before the loop: Python decides `if len(x) == 0`. A number that the loop would make a float is a float afterwards in any case.
- **A step of 0** in `range(a, b, step)` raises ValueError in Python. If JAX computes the step, the loop runs once or not at all.
- **Variables that only the loop binds.** If the loop ends with `x = x_new`, the variable `x_new` starts as `x` (NJ421). Reading it after a loop
  without iterations raises UnboundLocalError in NumPy.
- **Attributes that the loop reads** are read before the loop, even if it never runs (NJ418). An attribute that does not exist yet raises
  AttributeError. So are those of other objects (`config.rate`), and elements of dicts: what another thread stores there in the meantime,
  or a property of a class outside of the project that has another value each time, is not seen.
- **Variables that only a loop of a script binds**, such as its indices, are not bound by the function that the loop becomes (NJ418), unless
  code of the module reads them afterwards: code that imports the script cannot read them.
- **Lists that stay empty.** A list that a loop fills becomes an array. Without elements it is `np.array([])`, of shape (0,) and dtype float64;
  a list of rows gives (0, n).
- **Lists that a loop leaves early.** If an exception ends a compiled loop, the lists that it fills lack the items of its iterations. A list in an
  attribute (`self.losses`) is taken for a list wherever the class binds nothing else to it.
- **Loop-carried values keep shape and dtype.** A Python number starts with the dtype that the loop gives it (NJ422). JAX raises TypeError when
  tracing if a float before the loop becomes an element of an integer array of unknown dtype; if a number becomes an array, is read after the
  loop, and the trip count is unknown (NJ414); if an array changes its dtype (`p = p * np.ones(3)` makes float32 float64): cast it before the
  loop. The arms of a `lax.cond` have the same restriction. An integer to which a loop adds a Python float becomes a float64, which widens
  float32 arrays.

### Arrays, lists and objects

- **Exceptions that JAX does not raise.** An index out of range is clamped, and a singular matrix gives infinity or NaN. Code that *catches*
  such an exception is left as NumPy (NJ701).
- **Compiled parts of functions that stay NumPy** (NJ418, NJ424) compute as JAX does: they give no floating-point warnings, an index out of
  range is clamped in them, and arrays whose shapes do not fit raise the error of JAX. Statements in `try` and `with` do not move. The
  results are copies: nothing moves that hands out a view of an array, or an array that is shared. In a loop, a list of numbers of unknown
  dtype is stored as float64.
- **Assertions.** If a function can be compiled only for arrays of one rank, for a nonnegative width, or for a loop that runs, an `assert`
  checks it (`assert b.ndim == 1`, `assert w >= 0`). It raises AssertionError where NumPy would continue. So does
  `assert jnp.can_cast(term.dtype, out.dtype, "same_kind")`, for arrays that cannot hold a sum that NumPy would truncate. Loops and
  statements that move out of a function that stays NumPy assert nothing: that function tests the condition, and runs them in NumPy where it
  does not hold ([placement.md](placement.md)).
- **Attributes of objects** are assumed to hold what the project assigns to them. If other code assigns arrays of another dtype or rank, convert
  that code too.
- **Processes that other code forks.** JAX may wait forever in a process forked after it has started. np2jax leaves alone what the project itself
  runs in forked processes; for code outside of it that forks, choose `multiprocessing.set_start_method("spawn")` there.
- **One array passed twice** to a function that updates one of the arguments, by code outside of the project.
- **Module variables, class attributes and helpers that code outside of the project rebinds or changes** (`model.DT = 0.9`, `model.GAINS[0] = 2`, a
  replaced function in a test). `jit` reads them when it traces, and does not see the change. np2jax passes on as arguments what the project itself
  changes; make the others parameters, or call `jax.clear_caches()` after the change.
- **A parameter that is only used in `held *= 2`** is assumed to be an array: the function returns a new one, and a list from outside of the
  project is not changed. Annotate such a parameter (`held: list`). If a call in the project passes a list, the function is left as NumPy
  (NJ203).
- **Files without NumPy code** stay as they are. If they receive JAX arrays, `x += y` rebinds `x`, and the caller's array does not change. This
  is true of every program that mixes both libraries.
- **Sequences of numbers.** A parameter without annotation that is used as a sequence of numbers (`x[i] - x[i - 1]`, `for v in x: total += v`) is
  converted to an array. A dict with integer keys, or another object, then raises TypeError: annotate such a parameter.
- **Containers in containers.** After `p = d["inner"]; p["w"] += 1`, np2jax does not check whether the caller has another reference to the array.
- **Lists in place of arrays.** JAX raises TypeError for a list where it needs an array. np2jax converts the list only if a call, the
  documentation or the use of the parameter shows that lists may arrive. A list for a static argument, such as a shape, also raises: pass a
  tuple.
- **A crash of JAX 0.10.2** on CPUs: `x.astype(np.int32) & y` with an int64 `x`, in compiled code, ends Python with a segmentation fault. JAX
  0.12 compiles it.

## Not implemented yet

- **Other loops.** np2jax compiles loops in functions that `jit` compiles. Loops in methods, nested functions and impure functions move into
  functions of their own (NJ418) if they read only arrays and numbers, and so do long loops of scripts, unless they append to lists, print, exchange arrays or draw.
- **Slices with a varying step.** They become a mask over the whole axis in each iteration. A sieve of 100,000 numbers
  (`s[i * i :: i] = False`) takes 0.2 s on two cores once compiled; NumPy takes 0.4 ms.
- **`return` inside a loop** keeps the loop Python, unless only a `return` follows the loop.
- **Random state at the interface.** A function that seeds NumPy's state, draws, and returns a value gives its key to callers in the project that
  draw afterwards: callers outside then get the key as an additional result. A function that returns a generator returns a key. A function
  whose seed may be None, or that seeds NumPy's state for callers outside, is not compiled.
- **Donation of parameters and attributes.** Only local arrays are donated (NJ505), because JAX deletes a donated array, and np2jax must prove
  that nothing else refers to it. Copying an array in each iteration (`u_old = u.copy()`) costs as much as donation saves. Without donation,
  `x = f(x)` in a Python loop copies the array in each iteration. That costs nothing at 1,000 elements. At 1,000,000 elements (JAX 0.10 and
  0.12, CPU, float64) it takes 1.0 to 1.1 times the work of a function with a loop inside, 1.3 to 2.8 times one sweep over the array, and 17 to
  23 times the store of one element. If such a step takes `self.u`, add `donate_argnames` by hand.
- **Notebooks.**
- **Tests** are read, but never rewritten. If a test uses a result in a way that only a NumPy array allows, the function is left as NumPy
  (NJ215).

## Why a function is left as NumPy
"""


def limitations() -> str:
    parts = [LIMITS]
    for refusal in REFUSALS:
        first, _blank, rest = refusal.doc.strip().partition("\n\n")
        parts.append(f"\n### {refusal.code} {refusal.name}\n\n{first}\n" + (f"\n{rest.strip()}\n" if rest else ""))
    return NOTICE + "".join(parts)


def rules() -> str:
    lines = [
        "# Rules and codes\n",
        "\nEvery code that np2jax prints. `np2jax explain CODE` shows one with its example. Those that no rule makes are the reasons for\n",
        "which a function stays NumPy: [limitations](limitations.md) says what to do.\n",
        "\n| code | name | what it finds |\n|---|---|---|\n",
    ]
    for code, rule in every_code().items():
        if code in lint_rules():
            continue
        lines.append(f"| {code} | {rule.name} | {rule.doc.strip().splitlines()[0]} |\n")
    lines.append(
        "\n## Rules for JAX code\n"
        "\nThese find errors in code that is JAX already: in files that import JAX. [jax-rules.md](jax-rules.md) has an example for each.\n"
        "\n| code | name | what it finds |\n|---|---|---|\n"
    )
    for code, rule in lint_rules().items():
        off = "" if rule.default else " Off by default."
        lines.append(f"| {code} | {rule.name} | {rule.doc.strip().splitlines()[0]}{off} |\n")
    return NOTICE + "".join(lines)


JAX_RULES = """# The rules for JAX code

`np2jax lint` applies these rules to files that import JAX. It interprets the code abstractly, without running it: it follows the
functions that `jit`, `vmap`, `grad`, `scan` and the like trace, through calls, partials, methods and modules, and it knows which values are
tracers. A finding says that the code certainly fails, or does something else than it seems to; where the analysis is not certain, nothing is
reported. [precision.md](precision.md) says how often that holds.

`--select NJ825` runs a rule that is off by default. `# np2jax: ignore[NJ821]` on a line silences a rule there.
"""


def jax_rules() -> str:
    """The rules for JAX code with their examples."""
    parts = [JAX_RULES]
    for code, rule in lint_rules().items():
        first, _gap, rest = rule.doc.strip().partition("\n")
        parts.append(f"\n## {code} {rule.name}: {first}\n{rest}\n")
        if code == "NJ871":
            parts += ["\n| name | removed in | instead | |\n|---|---|---|---|\n", *map(removed_name, REMOVED.items())]
    return NOTICE + "".join(parts)


def removed_name(row: tuple[str, Removed]) -> str:
    """A row of the table of removed names, with the section of JAX's change log about it."""
    name, removed = row
    instead = f"`{removed.instead}`" if removed.instead else ""
    source = f"[change log of {removed.cited}]({removed.link})" if removed.link else "not in the change log"
    return f"| `{name}` | {removed.version} | {instead} | {source} |\n"


CONTROL_FLOW = """# Loops, branches and slices

`jit` traces a function once. It unrolls Python loops, and it cannot decide a test on a traced value. In compiled functions, np2jax
therefore writes control flow with JAX's operations. The report names the form that it chose, and why, for each loop and branch.

np2jax writes a loop in the first of these forms that is proven to be equivalent:

1. whole-array code or `jax.vmap`, if the iterations are independent: branches become `jnp.where`, and a body that does several things
   becomes several loops;
2. a reduction (`sum`, `max`, ...), if the iterations only accumulate a number;
3. a prefix operation (`cumsum`, ...), or `lax.scan` with one output for each iteration;
4. `lax.fori_loop` or `lax.scan`, if each iteration depends on the previous one, or `lax.while_loop`, if a condition or `break` ends it;
5. a Python loop that `jit` unrolls: a small literal trip count, the elements of a list, or sizes that are powers of the index;
6. a Python loop without `jit`: NJ402 says why.

Each form follows with an example, which the tests check. The loop-carried values are those that the loop binds and that are read later;
the function closes over the rest.
"""


def control_flow() -> str:
    """The rules of control flow with their examples."""
    parts = [CONTROL_FLOW]
    for code, rule in all_rules().items():
        if code.startswith("NJ4") or code in ("NJ503", "NJ901"):
            first, _gap, rest = rule.doc.strip().partition("\n")
            parts.append(f"\n## {code} {rule.name}: {first}\n{rest}\n")
    return NOTICE + "".join(parts)


def main() -> int:
    stale = []
    for name, text in (
        ("limitations.md", limitations()),
        ("rules.md", rules()),
        ("jax-rules.md", jax_rules()),
        ("control-flow.md", control_flow()),
        ("lint.md", console.with_output((HERE / "lint.md").read_text())),
        ("architecture.md", blocks.architecture((HERE / "architecture.md").read_text())),
        ("coverage.md", NOTICE + coverage.page() + "\n" + randomness.page(APIS)),
    ):
        path = HERE / name
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text() != text:
                stale.append(name)
        else:
            path.write_text(text)
    if stale:
        print(f"stale: {', '.join(stale)}; run: python docs/generate.py", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
