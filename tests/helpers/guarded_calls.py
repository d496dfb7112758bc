"""Code on the host that chooses between compiled code and the original: calls of both versions, with their exceptions and arguments."""

import textwrap

import numpy as np

from np2jax.tests.helpers.differential import compare_values, convert, run


def outcome(function, arguments):
    given = [a.copy() if isinstance(a, (np.ndarray, list)) else a for a in arguments]
    with np.errstate(all="ignore"):
        try:
            return function(*given), given, None
        except Exception as error:
            return None, given, (type(error), str(error))


def guarded(source, *calls, raises=()):
    """The converted text, once each call of `f` agrees with NumPy in its result, its arguments and its exceptions; in `raises`, an exception
    of NumPy need not be the same."""
    source = "import numpy as np\n" + textwrap.dedent(source)
    text, _functions, _diagnostics = convert(source, placement="fast")
    before, after = run(source)["f"], run(text)["f"]
    assert all(outcome(before, arguments)[2] is not None for arguments in raises)
    for arguments in calls:
        want, mine = outcome(before, arguments), outcome(after, arguments)
        assert mine[2] == want[2], (text, mine[2], want[2])
        assert not compare_values(mine[0], want[0]), (text, mine[0], want[0])
        assert not compare_values(mine[1], want[1]), text
    return text
