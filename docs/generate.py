"""Write docs/limitations.md, docs/rules.md, docs/control-flow.md and docs/coverage.md from the rules themselves; `--check` fails when they are stale.

usage: python docs/generate.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from np2jax.rules.core.refusals import REFUSALS
from np2jax.rules.core.registry import all_rules
from np2jax.rules.numpy_table import coverage
from np2jax.rules.random_table import APIS
from np2jax.rules.random_table import coverage as randomness

HERE = Path(__file__).resolve().parent
NOTICE = "<!-- made by docs/generate.py: change the rules, not this file -->\n"

LIMITS = """# What np2jax does not do

A function that np2jax is not sure of is *kept*: it stays NumPy, works as before, and the report says why. Below, each reason, and
what you can do about it. The rest of this page is what holds for the functions that are converted.

## What may differ, and is not reported

- **Numbers of Python under `jit`.** A parameter that is neither an array nor static is traced: integers have 64 bits there, and
  overflow where Python's would grow.
- **dtypes that nobody can know.** Where a function never says which dtypes it takes, np2jax keeps the dtype of what is changed in
  place, but mixed arithmetic follows JAX's promotion: int32 with float32 gives float32, where NumPy gives float64,
  and the mean of bools or of int32 is a float32. `np2jax verify` tries
  such inputs; when the dtypes are known, the operands are cast or NJ6xx is reported. Where they are not, `x / 3` and `np.exp(x)` of an
  int32 are float32. What all calls of the project give is taken for known: where other callers give other dtypes, a cast may be missing, unless the
  configuration says that the function is public. And `x == -1` compares with -1.0 (NJ610);
  so does `x > 1000` with 1000.0, in programs that name an integer dtype which does not hold it, and `best = -1; if x[i] > best` is kept in
  those that name unsigned ones. In others such a number or variable wraps round beside an array of small integers that is given to them. Beside an int32 that is known, so does a variable beyond 2**31, and beside a uint64 a negative one.
- **Sums of a loop whose terms have a dtype that nobody knows** are made in that dtype where they begin with a float of Python's (`s = 0.0`, `s += x[i]`) or go into an array
  (`out[i] += x[i, j]`): int64 overflows beyond 2**63, and float16 and float32 round, where NumPy's are float64. Products that turns add up (`C[i, j] += A[i, k] * B[k, j]`) of small integers
  do not overflow.
- **The index of a loop beside small integers** that the program does not name: `x[i] * i` of int8 is int8 in NumPy; where all turns are taken at once it is int64 then, and does not overflow. Where the program names
  int8, say, the index is cast (NJ611); but for sums of the index alone (`s -= i`, where s has the dtype of an array).
- **Numbers of Python's beside items**, of which the values tell which one it is (`return 0` or `x[0]`, `v if v > 2 else 0`), have the dtype of the items, and in NumPy that of the number they are, or
  in an array of both the wider one.
- **Bools as points** of numpy.polynomial, with float32 coefficients, give float32 in `polyval` and `lagval`, where NumPy gives float64.
- **Arrays that get another dtype in a loop.** `p = p * np.ones(3)` makes float64 of float32 in its first turn. JAX raises TypeError for a
  compiled loop whose turns do so, where nothing says which dtype `p` has: cast it before the loop.
- **Weak types.** A float64 that JAX makes of Python's numbers (`jnp.where(mask, 1.0, 0.0)`, `jnp.full(n, 1.5)`, `jnp.arange(n) * 0.5`) gives way to
  float32 arrays, and NumPy's does not. It is cast where it meets an array of a dtype that nobody knows, in a program that names such dtypes
  (NJ601), and code that stays NumPy gets NumPy's arrays there. Of what is made of an array of an unknown dtype (`x * 0.5`, which is weak
  where x holds integers) nobody knows it: two such arrays of different dtypes may give a float32.
- **Errors that JAX does not raise.** An index out of range is clamped, a singular matrix gives inf or nan. Code that *catches* such an
  error is kept (NJ701).
- **Numbers made by `float()` and `int()`** of what JAX computes (NJ409) are arrays of rank 0, of float64 and int64: beside an array of
  which nobody says that it is float32, they make a float64, where Python's give way. `int(nan)` raises in Python, and is 0 in JAX.
- **Attributes of objects** are taken to be what the project binds to them. Code outside of it that binds an array of another dtype or another
  number of dimensions to `obj.x` should be converted with it, where methods select with masks.
- **The same array given twice** to a function that changes one of them, by code outside of the project.
- **What `op=` changes, and nothing else tells of**, is an array: `held *= 2` of a parameter that is not read otherwise gives back a new one. A list that code outside
  of the project gives is not changed then; annotate such a parameter (`held: list`). Where a call in the project gives a list, the function is kept (NJ203).
- **Code of which nothing is converted** is left as it is. Given arrays of JAX by who calls it, its `x += y` binds `x` anew, and the caller's array
  does not change, as in every program that uses both.
- **Sums of nothing.** `sum(v for v in x if v > 0)` is the integer 0 in Python where no `v` counts, and 0.0 in JAX.
- **What holds numbers** is what says nothing of itself and is used as if it did (`x[i] - x[i - 1]`, `for v in x: total += v`, `if m[i]:` beside `x[i]`): an array is made of
  it. A dict with numbers as keys, or an object of another kind, raises TypeError then; annotate such a parameter.
- **Derivatives backwards through turns that an argument counts.** `jax.grad` raises ValueError for `for t in range(steps)`, which jit compiles once for
  all `steps`. Derivatives forwards exist (`jax.jvp`, `jax.jacfwd`). `np2jax convert --trip-counts static` (`trip-counts = "static"`) makes such arguments
  static, and derivatives go backwards; a loop that gives such a function a number which it computes stays Python's then. Through `while` and
  `break` they go forwards only.
- **Loops without turns.** The body of a compiled loop is traced also where it has no turns: an index into an array of size 0
  raises IndexError then. Return before it: Python decides `if len(x) == 0`. A number that a loop would make a float is one also
  without turns.
- **A step of 0** in `range(a, b, step)` raises ValueError in Python; where JAX computes the step, the loop has no turns, or one.
- **Variables of a loop that has no turns.** `x_new`, which turns bind and `x = x_new` takes, is `x` before the first one (NJ421): read after
  a loop without turns, it raises UnboundLocalError in NumPy.
- **Attributes of a loop that has no turns** are read before it all the same (NJ418): one that is not bound yet raises AttributeError.
- **Lists that no turn fills.** A list that a loop fills becomes an array of its items, also where there are none: `np.array([])`
  has the shape (0,) and holds floats (of lists in a list, which are rows, (0, n)); one that began with rows, in a function without jit, raises TypeError then.
- **What a loop carries keeps its shape and dtype.** A number of Python's starts with the dtype that turns give it (NJ422). Where nobody
  says which dtypes a function takes, a float before the loop that is an item of an array after a turn raises TypeError when JAX traces and
  the array holds integers. So does a number that becomes an array and is seen after the loop, where nothing tells how many turns there are
  (NJ414), and so do sides of a `lax.cond`.
  An integer to which turns add a parameter that is a float of Python's is a float64 for JAX, and makes one of the float32 arrays that it meets later.
- **What is asserted.** Where a function can only be compiled for arrays of so many dimensions, for a width that is not negative, or for a loop
  that has turns, an `assert` says so (`assert b.ndim == 1`, `assert w >= 0`): it raises AssertionError where NumPy would go on, with rows
  in place of numbers, or counting from the end. So does one for arrays that cannot hold what several turns add to them
  (`assert jnp.can_cast(term.dtype, out.dtype, "same_kind")`), where NumPy would cut off the sum after each turn.
- **Integers of Python's are int64**, those of local variables, too: `a, b = b, a + b` wraps where Python's go on, and JAX raises OverflowError for
  those that are written and do not fit. `round(x, 2)` of a float rounds as `np.round` does: 2.675 becomes 2.68, in Python 2.67.
- **Containers in containers.** Of `p = d["inner"]; p["w"] += 1` it is not asked whether the caller holds the array elsewhere, too.
- **Lists where NumPy makes arrays of them.** JAX raises TypeError for a list that is given for an array, where nothing in the project says that
  one may come: no call, no documentation, no use as numbers. So it does for a list that is given for a static argument, such as a shape: give a tuple.
- **Powers of integers.** `x ** y`, where nothing says what they are, gives a wrong number for an integer x and a negative integer y: Python gives a fraction.
- **The extremes of an empty selection.** `x[mask].max()` raises in NumPy where nothing is selected; JAX gives -inf, or the least of all elements.
- **Infinities** in `interp`, `trapezoid`, `percentile` and `quantile` give NaN in NumPy or in JAX, and not in both; reported where the code names them (NJ602).
- **A crash of JAX 0.10.2** on CPUs: `x.astype(np.int32) & y` with an int64 x, a narrowed integer that meets `&` or `|` in one compiled
  program, ends Python with a segmentation fault. JAX 0.12 compiles it.
- **A number times a bool** that is False is 0 in XLA, also for inf and NaN, where NumPy gives NaN.
- **Subnormal numbers** are flushed to zero, and compiled code may round in another order: results agree to rounding. Where NumPy's is exactly 0 (`np.std` of one
  number), a fused multiplication may leave 1e-18, which times infinity is infinity, and no NaN. Of `alpha * A @ x` in
  float64, x is scaled (NJ903): numbers near 1e308 may overflow there and not here, or the other way round. What is chaotic does not agree
  at all after enough steps: of NPBench's `nbody` at preset M, NumPy's own results are 5 % apart for inputs one bit apart, and the converted ones 1 or 2 % from them.

## What is not done yet

- Loops are compiled in functions that `jit` compiles. Those of methods, of nested functions and of functions that do other things,
  too, move into functions of their own (NJ418) where they read arrays and numbers only; those of modules stay Python's.
- A slice with a step that changes from turn to turn is a mask over the whole axis in each turn: a sieve of 100,000 numbers, `s[i * i :: i] = False`,
  takes 0.2 s on two cores once compiled, and NumPy 0.4 ms.
- `return` in a loop that more than a `return` follows keeps it Python's.
- Arrays of parameters and attributes are not donated (`jax.jit(..., donate_argnames=...)`), those of local variables are (NJ505). A donated
  array is deleted: nobody else may hold it, which calls from outside of the project, lists, attributes and other names of the array do
  not let np2jax prove; `u_old = u.copy()` in every turn costs as much as what donation saves. In a loop of Python's, `x = f(x)` without it copies the array once a
  turn, which takes as long (JAX 0.10 and 0.12, CPU, float64) as: nothing at 1,000 items; at 1,000,000 1.0 to 1.1 times the work of a function with a loop inside, 1.3 to 2.8 times that of one sweep over the array,
  17 to 23 times that of a store of one item. Where such a step takes `self.u`, give `donate_argnames` by hand.
- Notebooks, HTML and JUnit reports.
- Tests are read, never rewritten: they judge. A function whose result a test uses as only a NumPy array can be used is kept (NJ215).

## Why a function is kept
"""


def limitations() -> str:
    parts = [LIMITS]
    for refusal in REFUSALS:
        first, _blank, rest = refusal.doc.strip().partition("\n\n")
        parts.append(f"\n### {refusal.code} {refusal.name}\n\n{first}\n" + (f"\n{rest.strip()}\n" if rest else ""))
    return NOTICE + "".join(parts)


def rules() -> str:
    lines = [
        "# The rules\n",
        "\n`np2jax explain CODE` shows one with its example.\n",
        "\n| code | name | what it finds |\n|---|---|---|\n",
    ]
    for code, rule in all_rules().items():
        lines.append(f"| {code} | {rule.name} | {rule.doc.strip().splitlines()[0]} |\n")
    return NOTICE + "".join(lines)


CONTROL_FLOW = """# Loops, branches and slices

`jit` traces a function once: Python's loops are unrolled in it, and a test on a value cannot be decided. In a function that `jit`
compiles, np2jax writes control flow as JAX's. The report names the form and the reason at each place.

A loop is written in the first of these forms that is certainly the same:

1. whole-array code or `jax.vmap`, where no turn depends on another one: branches are `jnp.where`, what turns do one after the other
   are several loops;
2. a reduction (`sum`, `max`, ...), where a turn only adds to a number;
3. a prefix (`cumsum`, ...), or `lax.scan` with an output per turn;
4. `lax.fori_loop` and `lax.scan` where each turn goes on from the last, `lax.while_loop` where a condition or `break` ends it;
5. Python's loop, unrolled by `jit`: few literal turns, the items of a list, sizes that are powers of the index;
6. Python's loop without `jit`: NJ402 says why.

Below, each form with an example: what stands before is converted to what stands after by the tests. What carries from one turn to
the next is what the loop binds and somebody reads later; the rest is closed over.
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
        ("control-flow.md", control_flow()),
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
