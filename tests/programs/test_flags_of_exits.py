"""Loops that end early, or raise, where a flag, a mode or an argument that may be None says so."""

import inspect
import itertools

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

VALUES = {"eps": (None, 0.2, 0.5), "flag": (False, True, 1), "mode": ("a", "b", "c"), "tol": (None, 0.0, 0.5)}
BEFORE_LOOP = "    p = 1.0\n    for k in range(len(x)):\n        p = p * (1.0 - x[k] ** 2)\n"
AFTER_TEST = "        p = p * 1.5\n    return p\n"
TESTS = {
    "a flag": "if flag and p <= 0.4:\n    break",
    "either": "if flag or p <= 0.4:\n    break",
    "not None": "if eps is not None and p <= eps:\n    break",
    "not None, around it": "if eps is not None:\n    if p <= eps:\n        break",
    "not None, with a statement": "if eps is not None:\n    d = p - eps\n    if d <= 0:\n        raise ValueError('small')",
    "a number that may be None": "if tol and p < tol:\n    break",
    "a flag after it": "if p <= 0.4 and flag == False:\n    raise ValueError(f'{p} at {k}')",
    "no flag after it": "if p <= 0.4 and not flag:\n    break",
    "a mode after it": "if p <= 0.4 and mode == 'a':\n    break",
    "not an exit": "if p <= 0.4 and eps is not None:\n    p = p + eps",
    "None after a flag": "if flag:\n    if eps is None:\n        p = p + 1\n    elif p < eps:\n        break",
    "None goes on": "if eps is None:\n    continue\nif p < eps:\n    break",
    "a mode in a flag": "if flag:\n    if mode == 'a' and p <= 0.4:\n        break",
    "a mode after it, in None": "if eps is not None:\n    if p <= eps and mode == 'a':\n        raise ValueError('small')",
    "a flag in a flag": "if flag:\n    if mode == 'a':\n        break",
    "None before not None": "if tol and p > 0.7:\n    p = p * 0.5\nelif tol is not None:\n    p = p * 0.6",
    "three parts": "if eps is not None and mode == 'a' and p <= eps:\n    raise ValueError(f'small {p} {k}')",
    "modes": "if mode == 'a':\n    if p > 0.5:\n        continue\n    p += 1\nelif mode == 'b':\n    if p < 0.5:\n        break\nelse:\n    raise ValueError(mode)",
}


def called(function, arguments):
    try:
        return function(*arguments)
    except ValueError as error:
        return str(error)


@pytest.mark.quick(7)
@pytest.mark.parametrize("test", TESTS)
def test_the_loop_is_compiled_and_ends_as_it_did(test):
    given = [name for name in VALUES if name in TESTS[test]]
    lines = "".join(f"        {line}\n" for line in TESTS[test].splitlines())
    text = f"import numpy as np\n\ndef f({', '.join(['x', *given])}):\n{BEFORE_LOOP}{lines}{AFTER_TEST}"
    for name in given:
        text = text.replace(f", {name}", f", {name}={VALUES[name][0]!r}", 1)
    made, functions, _found = convert(text, placement="fast")
    assert functions["f"].transform in ("jit", "outlined"), functions["f"].reason
    before, after = (run(each)["f"] for each in (text, made))
    assert str(inspect.signature(after)) == str(inspect.signature(before))
    for x in (np.linspace(0.1, 0.9, 5), np.linspace(0.1, 0.3, 3)):
        for arguments in itertools.product(*(VALUES[name] for name in given)):
            mine, theirs = called(after, (x, *arguments)), called(before, (x, *arguments))
            assert isinstance(mine, str) == isinstance(theirs, str), arguments
            if isinstance(mine, str):
                assert mine == theirs
            else:
                compare_values(mine, theirs, str(arguments))
