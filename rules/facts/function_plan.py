"""The plan of one function: decided when its project is linked, read by every rule."""

from __future__ import annotations

from typing import NamedTuple

from .values import NOTHING

MOST_LINES = 25  # that are written twice: compiled, and as they were


class ShellPlan(NamedTuple):
    """What a function does with its arguments before anything else, and with its results, for callers outside of the conversion:
    they call it as before.

    It runs on the host. A jitted function is split for that: the shell keeps the name and the signature, and calls the jitted
    core. Further preparations are further fields.
    """

    key: str = ""  # the key, which is drawn from NumPy's random state where the caller gives none
    stream: str = ""  # the variable of the module from which it is drawn instead: it was a generator
    generators: tuple[str, ...] = ()  # parameters that accept generators of NumPy, from which keys are drawn
    lists: tuple[str, ...] = ()  # parameters that accept lists, which jit would trace item by item
    depths: tuple[tuple[str, int], ...] = ()  # those of them that accept nested lists of one depth only
    floated: tuple[str, ...] = ()  # parameters that a loop makes floats, if they are integers
    shapes: tuple[str, ...] = ()  # static parameters that accept lists and arrays, which jit cannot hash
    core: str = ""  # the name by which converted code calls it, where the shell returns what others expect from NumPy
    changed: tuple[str, ...] = ()  # parameters that the function changes, and that the shell fills, if they are NumPy arrays
    returns_numpy: bool = False  # callers that pass NumPy arrays get NumPy arrays, from a decorator

    @property
    def is_needed(self) -> bool:
        return self.converts or self.draws or bool(self.core)

    @property
    def converts(self) -> bool:
        return bool(self.lists or self.floated or self.shapes)

    @property
    def draws(self) -> bool:
        return bool(self.key or self.generators)


class InputPlan(NamedTuple):
    """The parameters of a function that are arrays or lists, and what its shell makes of them."""

    arrays: tuple[str, ...] = ()  # parameters that are arrays, by their use or documentation
    filled: frozenset[str] = NOTHING  # those of them that are no numbers, as it writes into elements if it changes them
    lists: tuple[str, ...] = ()  # parameters that may be lists or tuples where arrays are expected
    list_arguments: tuple[str, ...] = ()  # those of them for which some call passes one
    dtypes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # arrays, and the dtypes that calls pass for them
    floated: tuple[str, ...] = ()  # parameters of a compiled function that loops make floats if they are integers
    shell: ShellPlan = ShellPlan()
    host_lists: tuple[str, ...] = ()  # parameters to which code on the host passes what may be a list
    depths: tuple[tuple[str, int], ...] = ()  # those of them that accept nested lists of one depth only
    host_shapes: tuple[str, ...] = ()  # those of them that are static and shapes, of which jit needs a tuple


class KeyPlan(NamedTuple):
    """The keys that a function takes and returns."""

    key: str = ""  # the keyword parameter for a random key, "" where it has none
    gives: str = ""  # the key variable that it returns: it seeds NumPy's state for its callers; else ""
    keeps: str = ""  # the attribute that stores that key, where it is a constructor
    generators: tuple[str, ...] = ()  # parameters that were generators and become keys
    ordered: bool = False  # each draw splits its own key, in the order of evaluation: other code may use the same seed


class DonationPlan(NamedTuple):
    """The arrays that calls of a function may overwrite."""

    marked: bool = False  # it is decorated with jit and may donate: no comment or setting prevents either
    donates: tuple[str, ...] = ()  # parameters whose arrays every call may overwrite
    donating: tuple[str, ...] = ()  # parameters whose arrays only some calls may overwrite: these call it by a second name


class VersionsPlan(NamedTuple):
    """The two versions of a function that NumPy runs faster, and that compiled code calls or may call."""

    may_clone: bool = False  # a compiled version beside it may pay
    calls_clones: bool = False  # it is compiled, and calls the compiled versions of such functions
    clone: str = ""  # the name of that version; "" where there is none
    chosen_by: tuple[str, ...] = ()  # the parameters that choose the version: it is called where one is an array of JAX
    shell: ShellPlan = ShellPlan()  # what that version needs done with its arguments


class ChangedPlan(NamedTuple):
    """Arrays of a function that is left as NumPy and that others change."""

    results: bool = False  # they change the arrays that it creates
    passed_on: frozenset[str] = NOTHING  # functions whose results it passes to others that change them


class FunctionPlan(NamedTuple):
    """What becomes of one function, decided once for its definition and every call.

    `returns`: parameters returned after the original results, in parameter order; those that the original returns anyway
    (`already`) are not appended again.
    `results`: how many values the original returns: 0 for None, 1, or n for a tuple display.
    """

    name: str
    params: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    results: int = 1
    already: tuple[tuple[str, int], ...] = ()  # parameter -> position in the original results
    static_args: tuple[str, ...] = ()
    unrolled: tuple[str, ...] = ()  # the tokens of the loops that Python runs
    jit: bool = False
    traceable: bool = False  # may be called from a jitted function
    eager: str = ""  # why a function that computes with arrays is not compiled; "" where `asked` is the reason
    asked: frozenset[str] = NOTHING  # parameters and loops whose values Python needs, but which are traced
    refused: str = ""  # why it is left as NumPy, "" when it is converted
    refused_code: str = ""
    host_writes: bool = False  # left as NumPy, and writes into arrays: needs NumPy arrays
    jax: bool = False  # it uses JAX and no NumPy: its arguments and results are the same after the conversion
    changed: ChangedPlan = ChangedPlan()
    inputs: InputPlan = InputPlan()
    random: KeyPlan = KeyPlan()
    donation: DonationPlan = DonationPlan()
    versions: VersionsPlan = VersionsPlan()

    @property
    def positions(self) -> dict[str, int]:
        """The position of each parameter in `returns` among the results."""
        found = dict(self.already)
        added = [name for name in self.returns if name not in found]
        return found | {name: self.results + place for place, name in enumerate(added)}

    @property
    def returned(self) -> int:
        """How many values the converted function returns."""
        return self.results + len(set(self.returns) - {name for name, _position in self.already})
