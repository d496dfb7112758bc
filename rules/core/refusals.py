"""Why a function is kept as NumPy: the codes that no rule mends, what they mean and what to change in the source."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .findings import Safety
from .registry import all_rules


class Documented(Protocol):
    """What `np2jax explain` shows: a rule or a refusal."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def safety(self) -> Safety: ...


class Refusal(NamedTuple):
    """A reason to keep a function, documented as a rule is: the first line says what, the rest why and what to do."""

    code: str
    name: str
    doc: str
    safety: Safety = Safety.MANUAL


def every_code() -> dict[str, Documented]:
    """Every code that np2jax may print, in order."""
    found: dict[str, Documented] = {refusal.code: refusal for refusal in REFUSALS}
    return dict(sorted({**found, **all_rules()}.items()))


REFUSALS = (
    Refusal(
        "NJ000",
        "differs",
        """Both versions were run, and their results differ.

`convert --verify` found an input on which the converted function does not do what the original does, so the original stays. The
report says which input, and what each version gave. If the original's result was not what you want either, mend it first; else
please report it as a bug of np2jax.""",
    ),
    Refusal(
        "NJ102",
        "no-equivalent",
        """A function or method of NumPy that JAX does not have.

The function that uses it stays NumPy; its callers convert where they can. The message says why there is no equivalent. Move the
call into a small function of its own, so that only that one is kept, or replace it.""",
    ),
    Refusal(
        "NJ202",
        "unknown-array",
        """Something is changed in place, and it is not known whether it is an array.

A list or a dict stays what it is, an array becomes a functional update: np2jax must know which. Annotate the parameter
(`x: np.ndarray`), describe it in a numpydoc section, or make the array where it can be seen.""",
    ),
    Refusal(
        "NJ204",
        "overlapping-arguments",
        """A call is given two arguments that share memory, and changes one of them.

NumPy shows the change through both; JAX has two independent arrays. Give it a copy of the other one.""",
    ),
    Refusal(
        "NJ205",
        "lost-change",
        """A copy is changed, and the change is lost.

An index by an array or a mask makes a copy in NumPy: `x[mask][0] = 1` changes nothing. Write `x[index] = 1` with one index.""",
    ),
    Refusal(
        "NJ206",
        "outer-variable",
        """A variable of the module or of an outer function is changed in place.

The change would be an effect of a function that JAX traces once. Hand the array in as an argument, and return it.""",
    ),
    Refusal(
        "NJ207",
        "unreturnable-argument",
        """An argument is changed in place in a way that cannot be handed back.

Its last value is not the one that the caller would see, or it may be left out. Use another name for the new value, and split
functions that change an argument only when it is given.""",
    ),
    Refusal(
        "NJ208",
        "fixed-results",
        """A function changes its arguments, and its results must stay as they are.

It would have to hand the arguments back, but it is public, used as a value, or called on objects of an unknown class, so that
not every call could be changed with it. Return the changed arrays explicitly, or call it by its name.""",
    ),
    Refusal(
        "NJ209",
        "fixed-call",
        """A function changes its arguments, and one of its calls cannot take them back.

The whole chain stays NumPy, else half of it would be converted. Make the call a statement of its own, with plain variables for
arguments.""",
    ),
    Refusal(
        "NJ211",
        "array-attribute",
        """An attribute of an array is assigned, such as `.shape`, `.real` or `.flat`, in a form that JAX has no equivalent of.

Use `reshape`, or build the array from its parts.""",
    ),
    Refusal(
        "NJ212",
        "deleted-item",
        """An item of an array is deleted, which NumPy refuses too.

`del x[i]` works for lists. For arrays use `np.delete`.""",
    ),
    Refusal(
        "NJ214",
        "unsettled",
        """What the function does could not be settled.

Functions that call each other change each other's effects without end. Annotate their parameters, or break the cycle.""",
    ),
    Refusal(
        "NJ215",
        "test",
        """Tests stay as they are, and what they use must keep its results.

A test says what the code promises. A function whose test uses its result as only a NumPy array can be used, or relies on the
arguments that it changes, is kept.""",
    ),
    Refusal(
        "NJ218",
        "shared-array",
        """An array is changed in place that someone else may hold too.

It is kept in an object or handed on, and whoever gave it, or got it, would see the change in NumPy and not in JAX. Copy the array
where it is stored (`self.x = x.copy()`), or return the new one.""",
    ),
    Refusal(
        "NJ301",
        "random-state",
        """A function draws random numbers in a way that keys cannot replace.

JAX has keys, and no generators: a function that draws takes a key, and hands parts of it on. That works where np2jax sees who draws,
and who calls it: not where the function is used as a value, called by tests or with `*` arguments, where a generator is put into a
container or asked for its state, where the key of a seed that a function or a constructor sets for others cannot be taken (its call
stands inside an expression or under `try`, or its object may hold no attribute more), and not for the few distributions that JAX lacks.
Give such code a generator as an argument. Until then it stays NumPy; a converted function that it calls gets a key drawn from its
generator.""",
    ),
    Refusal(
        "NJ701",
        "lost-exception",
        """Code catches an exception that NumPy raises and JAX does not.

NumPy raises `LinAlgError`, `FloatingPointError` or `IndexError` where JAX returns nan, inf or the nearest item, so the handler would
never run. Test the condition instead (`jnp.isnan`, the size), or leave this function as it is.""",
    ),
)
