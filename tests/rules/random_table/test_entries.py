"""The table of random draws: its names and parameters against NumPy's, and what calls become."""

import inspect

import libcst as cst
import numpy as np
import pytest

from np2jax.rules import random_table
from np2jax.rules.random_table import APIS, draw
from np2jax.tests.helpers.random_calls import SOURCES, call_facts, parse, text

PUBLIC = {"module": np.random, "RandomState": np.random.RandomState, "Generator": np.random.Generator}
NOT_FOR_USE = {"mtrand", "test", "bit_generator"}  # modules, and NumPy's own tests


def public(api):
    names = {name for name in dir(PUBLIC[api]) if not name.startswith("_")}
    return names - NOT_FOR_USE if api == "module" else names


@pytest.mark.parametrize("api", APIS)
def test_every_public_name_has_an_entry(api):
    assert public(api) - APIS[api].keys() == set()


@pytest.mark.parametrize("api", APIS)
def test_no_entry_without_a_name_of_numpy(api):
    assert APIS[api].keys() - public(api) == set()


def signature(api, name):
    """NumPy's parameters and the sources of their defaults; None where Python cannot see them."""
    if name in ("ranf", "sample"):
        name = "random_sample"  # which they call with whatever they get
    try:
        found = inspect.signature(getattr(PUBLIC[api], name)).parameters.values()
    except (TypeError, ValueError):
        return None
    found = [p for p in found if p.name != "self"]
    return {p.name: p for p in found}


def default(value):
    return np.dtype(value).name if isinstance(value, type) else value


@pytest.mark.parametrize(("api", "name"), [(api, name) for api in APIS for name in APIS[api]])
def test_parameters_are_numpys(api, name):
    entry = draw(api, name)
    theirs = signature(api, name)
    if theirs is None or entry.state:
        return
    if entry.params == ("*d",):
        assert [p.kind for p in theirs.values()] == [inspect.Parameter.VAR_POSITIONAL]
        return
    assert entry.params == tuple(theirs)
    assert entry.defaults.keys() == {p.name for p in theirs.values() if p.default is not p.empty}
    for parameter, source in entry.defaults.items():
        assert default(eval(source, {"np": np})) == default(theirs[parameter].default)
    keyword_only = [p.name for p in theirs.values() if p.kind is p.KEYWORD_ONLY]
    assert entry.keyword_only == (keyword_only[0] if keyword_only else "")


@pytest.mark.parametrize(("api", "name"), [(api, name) for api in APIS for name in APIS[api]])
def test_entries_are_whole(api, name):
    """A draw is written, or is no draw at all; every form takes every key of the draw."""
    entry = draw(api, name)
    assert bool(entry.forms) + entry.state == 1
    assert not (entry.limits or entry.sums) or entry.note
    named = {
        *entry.limits,
        *entry.sums,
        *entry.arrays,
        *entry.vectors,
        *entry.static,
        *entry.scalars,
        *entry.ignored,
        *entry.defaults,
    }
    assert named | set(entry.allowed) | set(entry.refused) | set(entry.excluded) <= set(entry.params)
    for form in entry.forms:
        assert all(form.template.count(f"{{{key}_key}}") == 1 for key in entry.keys)
        assert set(form.when) <= set(entry.params)
    assert not entry.forms or (entry.forms[-1].when == {} and entry.keys)


@pytest.mark.parametrize("line", SOURCES, ids=lambda line: line[0])
def test_calls_become_what_an_expert_writes(line):
    source, expected = line
    assert text(source) == expected


def test_names_are_spelled_as_in_the_file():
    entry, arguments = parse("rng.lognormal(1.0, size=n)")
    asked = []

    def name(dotted):
        asked.append(dotted)
        return dotted.replace("jax.numpy", "numerics").replace("jax.random", "jr")

    made = random_table.expression(entry, arguments, [cst.Name("k")], call_facts(arguments), name)
    assert cst.Module([]).code_for_node(made) == "numerics.exp(1.0 + jr.normal(k, (n,)))"
    assert set(asked) == {"jax.numpy.exp", "jax.random.normal"}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("rng.random(out=x)", "`out=` is changed in place"),
        ("rng.permuted(x, out=x)", "`out=` is changed in place"),
        ("rng.integers(2, dtype=bool)", "`dtype=bool`"),
        ("rng.integers(2, dtype=np.bool_)", "`dtype=bool`"),
        ("rng.integers(2, endpoint=flag)", "`endpoint` must be written out, as one of True, False"),
        ("rng.multivariate_normal(mu, cov, method=how)", "`method` must be written out"),
        ("rng.choice(words)", "`a` holds text"),
        ("rng.normal(size=sizes)", "`size` is computed by JAX"),
        ("rng.permutation(x, axis=traced)", "`axis` is computed by JAX"),
        ("rng.hypergeometric(mu, 5, 2)", "`ngood` must be a single number"),
        ("rng.shuffle(xs)", "`x` is a list"),
        ("np.random.multinomial(10, [0.2, 0.3])", "do not sum to 1"),
        ("rng.poisson(1e6)", "works in float32"),
        ("rng.noncentral_chisquare(3, 300000)", "works in float32"),
        ("np.random.uniform(5, 1)", "`low` is above `high`"),
        ("np.random.normal(f(x), 1)", "`loc` is needed more than once"),
        ("rng.gamma()", "`shape` is missing"),
    ],
)
def test_refusals(source, said):
    entry, arguments = parse(source)
    assert said in random_table.problem(entry, arguments, call_facts(arguments))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("rng.normal(*shape)", "write them out"),
        ("rng.normal(**kw)", "write them out"),
        ("rng.normal(0, 1, 2, 3)", "too many"),
        ("rng.normal(0, loc=1)", "`loc` is not a parameter"),
        ("rng.normal(mean=1)", "`mean` is not a parameter"),
        ("rng.permuted(x, 1)", "too many"),
        ("np.random.rand(size=3)", "no keywords"),
    ],
)
def test_arguments_that_cannot_be_told_apart(source, said):
    with pytest.raises(ValueError, match=said):
        parse(source)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("rng.normal(mu, 1, size=n)", ["size"]),
        ("rng.normal(mu, 1)", []),
        ("np.random.randn(n, m)", ["*d"]),
        ("rng.choice(n, 3)", ["size", "a"]),
        ("rng.choice(v, 3, replace=True)", ["size"]),
        ("rng.choice(unknown, replace=False)", ["replace", "a"]),
        ("rng.permuted(x, axis=1)", ["axis"]),
    ],
)
def test_static_parameters(source, names):
    entry, arguments = parse(source)
    assert list(random_table.static_parameters(entry, arguments, call_facts(arguments))) == names


def test_a_sum_of_several_lines_stays_one_expression():
    made = text("np.random.normal(\n    low\n    + high,\n    s,\n    n,\n)")
    assert made == "(low\n    + high) + s * jax.random.normal(key, (n,))"
    cst.parse_expression(made)


def test_huge_literals():
    assert text(f"rng.normal({10**400}, 1, n)") == f"{10**400} + jax.random.normal(key, (n,))"
