"""Functions that libraries call while JAX traces: what they pass to which argument.

`a` is an array, `t` an array or a pytree of arrays, `?` may be anything, and `i` an array if the parameter has the name of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Called(NamedTuple):
    """`staged`: the library compiles the function. Else its users do, as the `update` of an optimizer."""

    position: int
    keyword: str
    given: str
    staged: bool = False


# What the first argument of a network is called where it is an array, not a length or a flag.
INPUTS = frozenset(
    "x xs y z h inputs input inputs_q hidden hidden_states image images tokens features obs observation observations".split()
)
_UPDATE = Called(1, "update", "tt")
_RATE = Called(0, "learning_rate", "a")
_SOLVED = Called(0, "fn", "t?", True)
_NETWORK = Called(0, "f", "i")
_OPTIMIZERS = """
    adabelief adadelta adafactor adagrad adam adamax adamaxw adamw adan amsgrad fromage lamb lars lion nadam nadamw noisy_sgd novograd
    radam rmsprop sgd sign_sgd sm3 yogi scale_by_learning_rate
""".split()
CALLED: Mapping[str, Called] = {
    "optax.GradientTransformation": _UPDATE,
    "optax.GradientTransformationExtraArgs": _UPDATE,
    "optax.scale_by_schedule": Called(0, "step_size_fn", "a"),
    **{f"optax.{name}": _RATE for name in _OPTIMIZERS},
    "haiku.transform": _NETWORK,
    "haiku.transform_with_state": _NETWORK,
    "jax.experimental.ode.odeint": Called(0, "func", "ta", True),
    "jax.scipy.optimize.minimize": Called(0, "fun", "a", True),
    "jax.lax.reduce": Called(2, "computation", "tt", True),
    "jax.lax.reduce_window": Called(2, "computation", "tt", True),
    "jax.lax.custom_root": Called(0, "f", "t", True),
    "diffrax.ODETerm": Called(0, "vector_field", "at?", True),
    **{f"optimistix.{name}": _SOLVED for name in ("root_find", "fixed_point", "least_squares", "minimise")},
    **{f"jaxopt.{name}": Called(0, "fun", "t", True) for name in ("GradientDescent", "LBFGS", "BFGS", "NonlinearCG")},
}
