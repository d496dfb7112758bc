"""Which of the calls at boundaries are compared first, and which are followed."""

from types import SimpleNamespace

from np2jax.runtime_shim.values.calls import arguments
from np2jax.runtime_shim.verification.exploration import Exploration, _key
from np2jax.runtime_shim.verification.steps import Step, Tally


def test_the_first_calls_do_all_that_any_does():
    did = {1: {"a"}, 2: {"a", "b"}, 3: {"c"}, 4: {"a", "b"}, 5: set()}
    calls = {number: arguments([number], {}) for number in did}
    made = Exploration(None, Tally(), did={_key(call): did[number] for number, call in calls.items()})
    ordered = [next(number for number, one in calls.items() if one is call) for call in made._in_turns(list(calls.values()))]
    assert ordered == [2, 3, 4, 1, 5]


def test_uncompiled_code_is_followed_while_it_does_something_new():
    followed = []

    def run(call, ordinary):
        followed.append(differential_run.following)
        if call.positional[0] in (0, 1, 7):
            differential_run.reached.add(call.positional[0])
        return Step("agrees", call)

    side = SimpleNamespace(described={("code.py", "f"): SimpleNamespace(jitted=False)})
    pair = SimpleNamespace(file="code.py", name="f")
    differential_run = SimpleNamespace(converted=side, pair=pair, reached=set(), run=run)
    made = Exploration(differential_run, Tally())
    made.deadline = SimpleNamespace(over=False)
    made._each([arguments([number]) for number in range(9)], traced=False, strict=True)
    assert followed == [True] * 3 + [False] * 5 + [True]
