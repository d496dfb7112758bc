"""Seeds of NumPy's own state: what a seed reaches, stays determined by it."""

from np2jax.tests.helpers.differential import convert, run
from np2jax.tests.helpers.random_conversions import HEAD, converted, same, written

DRAW = "def draw(n: int):\n    return np.random.normal(size=n)\n\n"


def test_what_the_module_seeds_is_handed_to_main():
    text = DRAW + "np.random.seed(0)\n\ndef main():\n    print(draw(3))\n\nif __name__ == '__main__':\n    main()\n"
    made = written(text)
    assert "key = jax.random.key(0)" in made and "def main(*, key=None):" in made and "    main(key=key)" in made


def test_a_seed_under_the_main_guard():
    text = DRAW + "def main():\n    print(draw(3))\n\nif __name__ == '__main__':\n    np.random.seed(0)\n    main()\n"
    made = written(text)
    assert "    key = jax.random.key(0)\n    main(key=key)" in made and "secrets" not in made


def test_a_kept_function_draws_keys_from_what_was_seeded():
    text = DRAW + "def show(n: int):\n    return draw(n)\n\ndef main():\n    np.random.seed(0)\n    return show(3)\n"
    names, kept = converted(text, kept=(("m.show", "for the test"),))
    assert kept == {"show"}
    assert same(names["main"])


def test_a_seed_in_another_function_for_others():
    text = (
        DRAW + "class C:\n    def __init__(self, seed):\n        np.random.seed(seed)\n\ndef f():\n    C(3)\n    return draw(2)\n"
    )
    names, kept = converted(text)
    assert not kept and same(names["f"])


def test_main_goes_on_with_the_key_of_a_function_that_seeds_and_draws():
    text = (
        DRAW
        + "def first(seed=0):\n    np.random.seed(seed)\n    return draw(2)\n\ndef main():\n    first()\n    return draw(2)\n"
    )
    names, kept = converted(text)
    assert not kept and same(names["main"])


def test_what_is_drawn_before_a_seed_is_not_determined_by_it():
    text = DRAW + "def f():\n    a = draw(2)\n    np.random.seed(3)\n    return a, draw(2)\n"
    made = written(text)
    assert "def f(*, key=None):" in made and "key = jax.random.key(3)" in made


def test_a_seed_in_a_nested_function_is_kept():
    text = "def f():\n    def g():\n        np.random.seed(0)\n    g()\n    return np.random.normal()\n"
    names, kept = converted(text)
    assert kept == {"f"} and same(names["f"])


SETTER = """
def set_seed(seed: int) -> None:
    np.random.seed(seed)
    print("seed", seed)

def draw(n: int):
    return np.random.normal(size=n)

def setup():
    set_seed(0)
"""


def test_a_function_that_seeds_for_its_callers_gives_them_the_key():
    text = SETTER + "\ndef main():\n    setup()\n    a = draw(3)\n    set_seed(3)\n    return a, draw(3)\n"
    made = written(text)
    assert (
        'def set_seed(seed: int) -> jax.Array:\n    np.random.seed(seed)\n    key = jax.random.key(seed)\n    print("seed", seed)\n    return key'
        in made
    )
    assert (
        "def setup():\n    return set_seed(0)" in made
        and "    key = setup()\n    a = draw(3, key=key)\n    key = set_seed(3)\n" in made
    )
    names, _kept = converted(text)
    assert same(names["main"]) and not (names["main"]()[0] == names["main"]()[1]).any()


def test_a_seed_given_to_kept_functions_too():
    text = SETTER + "\ndef odd():\n    set_seed(0)\n    return draw(2) + np.random.randint(2, dtype=bool)\n"
    names, kept = converted(text)
    assert kept == {"odd"} and same(names["odd"])


def test_a_function_that_seeds_stays_where_its_call_is_part_of_an_expression():
    text = (
        SETTER
        + "\ndef main():\n    set_seed(0)\n    return draw(3)\n\ndef other():\n    done = set_seed(0)\n    return done, draw(3)\n"
    )
    names, kept = converted(text)
    assert kept == {"set_seed", "main", "other"} and same(names["main"])


def test_a_seed_that_is_set_on_some_ways_only():
    text = "def set_seed(seed=None):\n    if seed is not None:\n        np.random.seed(seed)\n\n" + DRAW
    names, kept = converted(text + "def main():\n    set_seed(0)\n    return draw(3)\n")
    assert not kept and same(names["main"])


def test_no_key_is_made_where_only_kept_functions_draw():
    text = (
        "def f(**options):\n    return np.random.normal(**options)\n\ndef main():\n    np.random.seed(0)\n    return f(size=3)\n"
    )
    made, refused = converted(text)
    assert "f" in refused and (made["main"]() == run(HEAD + text)["main"]()).all()
    assert "key" not in convert(HEAD + text)[0]


def test_generators_of_both_kinds_that_have_one_seed_draw_apart():
    text = """
    def f(n: int, seed):
        np.random.seed(seed)
        rng = np.random.default_rng(seed)
        other = np.random.RandomState(seed)
        return np.random.normal(size=n), rng.normal(size=n), other.normal(size=n)
    """
    made, refused = converted(text)
    assert not refused
    a, b, c = made["f"](4, 0)
    assert (a != b).all() and (a == c).all(), "NumPy's state and a RandomState draw alike of one seed, a Generator does not"
    assert "jax.random.fold_in(jax.random.key(seed), 2**31 + 19937)" in written(text)


def test_seeds_that_are_other_numbers_stay_as_they_are():
    text = """
    def f(n: int):
        np.random.seed(0)
        rng = np.random.default_rng(1)
        return np.random.normal(size=n), rng.normal(size=n), np.random.default_rng().normal()
    """
    assert "fold_in" not in written(text)
