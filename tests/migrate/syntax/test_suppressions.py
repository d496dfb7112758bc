import pytest

from np2jax.migrate.syntax.suppressions import is_suppressed, suppressed

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
