"""The codes of findings that no rule makes: why a function is left as NumPy, and what is wrong with comments for np2jax."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .findings import Safety
from .lint_rules import lint_rules
from .registry import all_rules

PLACED = "NJ506"  # stays NumPy by choice, not because it could not be converted
NOT_CONVERTED = "NJ226"


class Documented(Protocol):
    """What `np2jax explain` prints: a rule or a refusal."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def safety(self) -> Safety: ...


class Refusal(NamedTuple):
    """A reason to leave a function as NumPy, documented like a rule: the first line says what is wrong, the rest why and what
    to do."""

    code: str
    name: str
    doc: str
    safety: Safety = Safety.MANUAL


def every_code() -> dict[str, Documented]:
    """Every code that np2jax may report, in order."""
    found: dict[str, Documented] = {item.code: item for item in (*REFUSALS, *COMMENTS)}
    return dict(sorted({**found, **all_rules(), **lint_rules()}.items()))


REFUSALS = (
    Refusal(
        "NJ000",
        "differs",
        """Both versions were run, and their results differ.

`convert --verify` found an input for which the converted function and the original differ, so the original stays. The report
shows the input and both results. If the original's result is wrong too, fix it first; otherwise please report a bug of np2jax.""",
    ),
    Refusal(
        "NJ003",
        "internal-error",
        """np2jax failed on a file, which is left as it was.

This is a bug of np2jax: please report it with the message, which names the error. The other files are converted. If one rule
failed, `lint` reports what the others find in the file.""",
    ),
    Refusal(
        "NJ102",
        "no-equivalent",
        """A NumPy function or method that JAX does not have.

The function that calls it is left as NumPy; its callers are still converted where possible. The message says why there is no
equivalent. Replace the call, or move it into a small function of its own, so that only that function stays NumPy.""",
    ),
    Refusal(
        "NJ202",
        "unknown-array",
        """Something is updated in place, and np2jax cannot tell whether it is an array.

A list or a dict is left alone, but an array needs a functional update. Annotate the parameter (`x: np.ndarray`), describe it in
a numpydoc section, or create the array where np2jax can see it.""",
    ),
    Refusal(
        "NJ204",
        "overlapping-arguments",
        """A call gets two arguments that share memory, and updates one of them.

In NumPy the update is visible through both; JAX has two independent arrays. Pass a copy of the other argument.""",
    ),
    Refusal(
        "NJ205",
        "lost-change",
        """A copy is updated, and the update is lost.

In NumPy, an index that is an array or a mask makes a copy, so `x[mask][0] = 1` has no effect. Use one index: `x[index] = 1`.""",
    ),
    Refusal(
        "NJ206",
        "outer-variable",
        """A variable of the module or of an enclosing function is updated in place.

JAX traces a function once, so it cannot have this side effect. Pass the array as an argument, and return it.""",
    ),
    Refusal(
        "NJ207",
        "unreturnable-argument",
        """An argument is updated in place in a way that the function cannot return.

Either its last value is not what the caller would see, or the argument is optional. Use another name for the new value, and
split a function that updates an argument only when it is passed.""",
    ),
    Refusal(
        "NJ208",
        "fixed-results",
        """A function updates its arguments, but its return value must not change.

It would have to return the arguments. But it is public, used as a value, or called on objects of an unknown class, so np2jax
cannot adapt every call. Return the updated arrays explicitly, or call the function by its name.""",
    ),
    Refusal(
        "NJ209",
        "fixed-call",
        """A function updates its arguments, and one of its calls cannot take them back.

The whole call chain is left as NumPy, since half of it cannot be converted. Make the call a statement of its own, with plain
variables as arguments.""",
    ),
    Refusal(
        "NJ211",
        "array-attribute",
        """Assignment to an array attribute, such as `.shape`, `.real` or `.flat`, that JAX has no equivalent for.

Use `reshape`, or build the array from its parts.""",
    ),
    Refusal(
        "NJ212",
        "deleted-item",
        """Deletion of an array element, which NumPy rejects too.

`del x[i]` works for lists. Use `np.delete` for arrays.""",
    ),
    Refusal(
        "NJ214",
        "unsettled",
        """The effects of the function could not be determined.

Functions that call each other keep changing each other's effects. Annotate their parameters, or break the cycle.""",
    ),
    Refusal(
        "NJ506",
        "host",
        """A function that stays NumPy because it is not compiled.

Without `jit`, JAX dispatches each operation by itself, which takes ten to fifty times as long as NumPy's call. So `--placement fast`,
the default, converts what `jit` compiles, and what compiled code calls; the rest stays as it was. The report says what prevents
`jit`. `--placement device` converts everything that JAX can run, for gradients or for large arrays on a GPU.""",
    ),
    Refusal(
        "NJ215",
        "test",
        """Tests stay as they are, and the code under test must keep its results.

A test states what the code promises. If a test uses a result in a way that only a NumPy array allows, or relies on an argument
that is updated in place, the function is left as NumPy.""",
    ),
    Refusal(
        "NJ218",
        "shared-array",
        """An array that is updated in place may have another owner.

The array is stored in an object or passed on. Whoever has it sees the update in NumPy, but not in JAX. Copy the array where it
is stored (`self.x = x.copy()`), or return the new one.""",
    ),
    Refusal(
        NOT_CONVERTED,
        "unconverted-file",
        """A file of the project that is not converted depends on the function.

You selected some files of a project. The others stay as they are, so that what they call must take and return what it did. A
function that they call is split: converted code calls its JAX version, and they get NumPy arrays from a shell (NJ509). That is not
possible where the function changes its arguments, draws random numbers, is a method or a generator, or is used as a value, and not
for attributes and module variables that hold arrays. Convert the files together, or the whole project.""",
    ),
    Refusal(
        "NJ301",
        "random-state",
        """A function draws random numbers in a way that JAX keys cannot replace.

JAX has keys instead of generators: a function that draws takes a key, and passes keys split from it to other functions. For
this, np2jax must see every draw and every call. It does not where

- the function is used as a value, or called by tests or with `*` arguments;
- a generator is put into a container, or asked for its state;
- a call seeds NumPy's state for its caller, but cannot return the key: it stands inside an expression or under `try`, or its
  object cannot take another attribute;
- the program uses a seed twice, and other draws follow, so that keys would not give the numbers that are equal in NumPy;
- the distribution is one of the few that JAX lacks.

Pass a generator as an argument to such code. Until then it stays NumPy, and a converted function that it calls gets a key drawn
from its generator.""",
    ),
    Refusal(
        "NJ701",
        "lost-exception",
        """A handler for an exception that NumPy raises and JAX does not.

NumPy raises `LinAlgError`, `FloatingPointError` or `IndexError` where JAX returns NaN, infinity or the nearest element, so the
handler would never run. It may stand in a caller: what is called where a handler names such an exception, or under
`np.errstate(all="raise")`, stays NumPy. Test the condition instead (`jnp.isnan`, the size), or leave the function as NumPy.""",
    ),
)

COMMENTS = (
    Refusal(
        "NJ001",
        "misspelt-comment",
        """A comment for np2jax that silences nothing, because it is misspelt or names an unknown code.

Write `# np2jax: ignore[NJ201, NJ3]` for some codes or families of codes, and `# np2jax: ignore` for all. `np2jax rules` lists the
codes.""",
    ),
    Refusal(
        "NJ002",
        "unused-comment",
        """A comment `# np2jax: ignore` where nothing is found that it could silence.

It applies to findings that begin in the statement at whose end, or inside of which, it stands; a comment on a line of its own
applies to nothing. Remove it, or the codes that are not needed. Only `np2jax lint` reports it, and not for codes that `--select`
or `--ignore` exclude.""",
    ),
)
