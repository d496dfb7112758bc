"""Which of the calls at boundaries are compared first."""

from np2jax.runtime_shim.values.calls import arguments
from np2jax.runtime_shim.verification.exploration import Exploration, _key
from np2jax.runtime_shim.verification.steps import Tally


def test_the_first_calls_do_all_that_any_does():
    did = {1: {"a"}, 2: {"a", "b"}, 3: {"c"}, 4: {"a", "b"}, 5: set()}
    calls = {number: arguments([number], {}) for number in did}
    made = Exploration(None, Tally(), did={_key(call): did[number] for number, call in calls.items()})
    ordered = [next(number for number, one in calls.items() if one is call) for call in made._in_turns(list(calls.values()))]
    assert ordered == [2, 3, 4, 1, 5]
