"""Many random programs of all kinds, in one process: `python tests/random_loops.py --programs 700 --first 5000`.

Each program is made of its kind and number alone: `--kinds masks --first 5017 --programs 1` runs one of them again.

A program that differs is run once more without jit. Where it agrees then, operation by operation, XLA rounded otherwise (a
fused multiplication gives 2e-16, and no 0) and a comparison took another way: such a one is printed, and counted by itself.
"""

import argparse
import importlib
import sys
import time
import warnings
from pathlib import Path

import jax

KINDS = {
    "guards": "test_guarded_loops.check",
    "lists": "test_list_loops.check",
    "returns": "test_loop_returns.check",
    "slices": "test_slice_programs.check",
    "strides": "test_stepped_slices.check_strides",
    "rows": "test_slice_programs.check_filling",
    "windows": "test_window_programs.check",
    "masks": "test_masked_reductions.check",
    "tests": "test_known_parts.random_program",
    "else": "test_plain_statements.check_else",
    "grids": "test_plain_statements.check_grid",
    "growing": "test_plain_statements.check_growing",
    "matches": "test_plain_statements.check_match",
    "searches": "test_first_match.check_search",
    "nested_searches": "test_first_match.check_nested_search",
    "reductions": "test_python_reductions.random_reduction",
    "positions": "test_condition_positions.check",
    "row_masks": "test_masks_along_an_axis.check",
    "sums": "test_sum_of_products.check",
    "scaled": "test_scaled_matrix.check",
    "learning": "test_counted_rows.check_learning",
    "triangles": "test_rectangles.check",
    "branches": "test_branch_programs.check",
    "mixed": "test_mixed_programs.check",
    "aliases": "test_alias_programs.check",
}


def check_of(kind):
    module, _dot, name = KINDS[kind].partition(".")
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
    given = parser.parse_args()
    sys.path[:0] = [str(Path(__file__).parents[n]) for n in (0, 1)]  # as pytest finds the tests
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
