import pytest

from np2jax.migrate.syntax.suppressions import directives, is_suppressed, suppressed

EVERY = frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[0] = 1  # np2jax: ignore\n", {1: EVERY}),
        ("x[0] = 1  # np2jax:ignore[NJ201]\n", {1: {"NJ201"}}),
        ("a = 1\nx[0] = 1  # noqa  # np2jax: ignore[NJ201, NJ3]\n", {2: {"NJ201", "NJ3"}}),
        (
            "f(\n    x,  # np2jax: ignore[NJ201]\n    y,  # np2jax: ignore[NJ3]\n)\n",
            {line: {"NJ201", "NJ3"} for line in range(1, 5)},
        ),
        ("f(\n    x,  # np2jax: ignore[NJ201]\n    y,  # np2jax: ignore\n)\n", dict.fromkeys(range(1, 5), EVERY)),
        ("for i in x:  # np2jax: ignore\n    y[i] = 1\n", {1: EVERY}),
        ("if x:\n    y[0] = 1  # np2jax: ignore\n", {2: EVERY}),
        ("# np2jax: ignore\nx[0] = 1\n", {}),
        ("x = '# np2jax: ignore'\n", {}),
        ("x[0] = 1  # np2jax: ignored nothing\n", {}),
        ("x = '''\n# np2jax: ignore\n'''\n", {}),
        ("x[0] = 1  # np2jax: ignore\nx = (\n", {1: EVERY}),
        ("x[0] = 1  # np2jax: ignore", {1: EVERY}),
        ("x[0] = 1  # np2jax: ignore\r\ny = 2\r\n", {1: EVERY}),
    ],
)
def test_lines_that_are_silenced(text, expected):
    assert suppressed(text) == expected


def test_families_and_codes():
    lines = suppressed("x[0] = 1  # np2jax: ignore[NJ2]\n")
    assert is_suppressed(lines, 1, "NJ201")
    assert not is_suppressed(lines, 1, "NJ301")
    assert not is_suppressed(lines, 2, "NJ201")


@pytest.mark.parametrize(
    "comment",
    [
        "# np2jax: ignor[NJ201]",
        "# np2jax: Ignore",
        "# np2jax ignore[NJ201]",
        "# NP2JAX: ignore",
        "# np2jax: noqa",
        "# np2jax:",
        "# np2jx: ignore[NJ201]",
        "# numpy2jax: ignore",
        "# np2jax: ignored nothing",
        "# np2jax: ignore NJ201",
        "# np2jax: ignore(NJ201)",
        "# np2jax: ignore[NJ201",
        "# np2jax: ignore: NJ201",
        "# np2jax: ignore[]",
        "# noqa  # np2jax: ignor",
    ],
)
def test_a_misspelt_comment_silences_nothing_and_says_so(comment):
    text = f"x[0] = 1  {comment}\n"
    assert suppressed(text) == {}
    assert [bool(each.problem) for each in directives(text)] == [True]


@pytest.mark.parametrize(
    "comment",
    [
        "# type: ignore",
        "# pyright: ignore[x]",
        "# noqa: NJ201",
        "# what np2jax does",
        "# np2jax converts this",
        "# ignore",
        "# numpy: ignored",
    ],
)
def test_other_comments_are_not_ours(comment):
    assert directives(f"x[0] = 1  {comment}\n") == []


def test_a_bare_comment_may_give_its_reason():
    assert suppressed("x[0] = 1  # np2jax: ignore, since the plot needs NumPy\n") == {1: EVERY}


def test_where_a_comment_stands_and_what_it_applies_to():
    (each,) = directives("f(\n    x,  # noqa  # np2jax: ignore[NJ201]\n)\n")
    assert (each.line, each.column, each.end_column, each.first, each.last) == (2, 17, 40, 1, 3)
    (alone,) = directives("# np2jax: ignore\nx = 1\n")
    assert not any(alone.silences(line, "NJ201") for line in range(4))
