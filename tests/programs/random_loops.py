"""Many random programs of all kinds, in one process: `python tests/programs/random_loops.py --programs 700 --first 5000`.

Each program is made of its kind and number alone: `--kinds masks --first 5017 --programs 1` runs one of them again.

A program that differs is run once more without jit. Where it agrees then, operation by operation, XLA rounded otherwise (a
fused multiplication gives 2e-16, and no 0) and a comparison took another way: such a one is printed, and counted by itself.

`--dtypes float32,int64` runs what is called proved for arrays of these dtypes, too.
"""

import argparse
import importlib
import sys
import time
import warnings

import jax

from np2jax.tests.helpers import differential

KINDS = {
    "guards": "np2jax.tests.rules.parallel.test_guarded_loops.check",
    "lists": "np2jax.tests.rules.loops.test_list_loops.check",
    "returns": "np2jax.tests.rules.loops.test_loop_returns.check",
    "slices": "np2jax.tests.programs.test_slice_programs.check",
    "strides": "np2jax.tests.rules.slices.test_stepped_slices.check_strides",
    "rows": "np2jax.tests.programs.test_slice_programs.check_filling",
    "windows": "np2jax.tests.programs.test_window_programs.check",
    "masks": "np2jax.tests.rules.slices.test_masked_reduction.check",
    "tests": "np2jax.tests.rules.branches.test_static_conditions.random_program",
    "else": "np2jax.tests.rules.loops.test_desugared_statement.check_else",
    "grids": "np2jax.tests.rules.loops.test_desugared_statement.check_grid",
    "growing": "np2jax.tests.rules.loops.test_desugared_statement.check_growing",
    "matches": "np2jax.tests.rules.loops.test_desugared_statement.check_match",
    "searches": "np2jax.tests.rules.parallel.test_search_loops.check_search",
    "nested_searches": "np2jax.tests.rules.parallel.test_search_loops.check_nested_search",
    "reductions": "np2jax.tests.rules.parallel.test_python_reduction.random_reduction",
    "positions": "np2jax.tests.migrate.lowering.test_mask_positions.check",
    "row_masks": "np2jax.tests.rules.slices.test_masks_along_an_axis.check",
    "sums": "np2jax.tests.rules.compilation.test_sum_of_products.check",
    "scaled": "np2jax.tests.rules.compilation.test_scaled_matrix.check",
    "learning": "np2jax.tests.rules.loops.test_scanned_loop.check_learning",
    "triangles": "np2jax.tests.migrate.lowering.test_rectangular_loops.check",
    "branches": "np2jax.tests.programs.test_branch_programs.check",
    "mixed": "np2jax.tests.programs.test_mixed_programs.check",
    "aliases": "np2jax.tests.programs.test_alias_programs.check",
}


def check_of(kind):
    module, _dot, name = KINDS[kind].rpartition(".")
    return getattr(importlib.import_module(module), name)


def agrees_without_jit(check, seed):
    """Whether the converted code agrees where each operation is rounded as NumPy rounds it."""
    try:
        with jax.disable_jit():
            check(seed)
    except Exception:
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=700, help="how many, of all kinds together")
    parser.add_argument("--first", type=int, default=0, help="the number of the first of each kind")
    parser.add_argument("--kinds", default=",".join(KINDS), help="which kinds")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--dtypes", default="", help="dtypes for which to run what is proved, too")
    given = parser.parse_args()
    differential.PROVED_FOR[:] = [dtype for dtype in given.dtypes.split(",") if dtype]
    checks = {kind: check_of(kind) for kind in given.kinds.split(",")}
    warnings.simplefilter("ignore")
    kinds, began = list(checks), time.monotonic()
    done = compiled = 0
    outcomes = dict.fromkeys(("DIFFERS", "rounds", "fails"), 0)
    for number in range(given.programs):
        kind, seed = kinds[number % len(kinds)], given.first + number // len(kinds)
        if time.monotonic() - began > given.seconds:
            break
        try:
            found = checks[kind](seed)
            compiled += bool(found and found[1])
        except Exception as error:
            if not isinstance(error, AssertionError) or not str(error):
                outcome = "fails"  # it says itself that it cannot go on
            else:
                outcome = "rounds" if agrees_without_jit(checks[kind], seed) else "DIFFERS"
            outcomes[outcome] += 1
            print(f"--- {outcome} {kind} {seed}: {type(error).__name__}: {error}", flush=True)
        done += 1
        if done % 100 == 0:
            jax.clear_caches()
    print(
        f"{done} programs from {given.first} on, {compiled} with the form that is looked for, {outcomes['DIFFERS']} differ, "
        f"{outcomes['rounds']} by rounding alone, {outcomes['fails']} fail with a message"
    )
    return outcomes["DIFFERS"] > 0


if __name__ == "__main__":
    sys.exit(main())
