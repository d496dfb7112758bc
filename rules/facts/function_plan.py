"""What becomes of one function: decided when its project is linked, read by every rule."""

from __future__ import annotations

from typing import NamedTuple

from .values import NOTHING


class InputPlan(NamedTuple):
    """What the parameters of a function are."""

    arrays: tuple[str, ...] = ()  # parameters that are arrays, as the function uses or documents them
    lists: tuple[str, ...] = ()  # parameters that may be lists or tuples where arrays are meant
    list_arguments: tuple[str, ...] = ()  # those of them that some call gives one
    dtypes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # arrays, and the dtypes that the calls give them


class KeyPlan(NamedTuple):
    """The keys that a function takes and gives."""

    key: str = ""  # the keyword by which it takes a key for random numbers, "" where it takes none
    gives: str = ""  # it seeds NumPy's state for its callers, and gives them this variable, a key
    keeps: str = ""  # in this attribute, where it is a constructor
    generators: tuple[str, ...] = ()  # parameters that took generators, and take keys


class DonationPlan(NamedTuple):
    """The arrays that calls of a function may overwrite."""

    marked: bool = False  # jit is written at it, and may donate: no comment and no setting keeps either away
    donates: tuple[str, ...] = ()  # parameters whose arrays every call may overwrite
    donating: tuple[str, ...] = ()  # those whose arrays some calls may overwrite, which call it by a second name


class FunctionPlan(NamedTuple):
    """What becomes of one function, decided once for its definition and every call.

    `returns`: parameters handed back after the original results, in parameter order; those that the original returns
    anyway (`already`) are not appended again. `results`: how many values the original returns: 0 for None, 1, or n for a
    tuple display.
    """

    name: str
    params: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    results: int = 1
    already: tuple[tuple[str, int], ...] = ()  # parameter -> position in the original results
    static_args: tuple[str, ...] = ()
    unrolled: tuple[str, ...] = ()  # the tokens of the loops that stay Python's
    jit: bool = False
    traceable: bool = False  # may be called from a jitted function
    eager: str = ""  # why jit does not stand at a function that computes with arrays; "" where `asked` says it
    asked: frozenset[str] = NOTHING  # parameters and loops whose values Python needs, and cannot know when JAX traces
    refused: str = ""  # why it is kept, "" when it is converted
    refused_code: str = ""
    host_writes: bool = False  # kept, and writes into arrays: wants NumPy arrays
    jax: bool = False  # its code names JAX and no NumPy: it takes and gives after the conversion what it did before
    host_results: bool = False  # kept, because others change the arrays that it makes
    passed_on: frozenset[str] = NOTHING  # functions whose results it, being kept, gives to others that change them
    inputs: InputPlan = InputPlan()
    random: KeyPlan = KeyPlan()
    donation: DonationPlan = DonationPlan()
