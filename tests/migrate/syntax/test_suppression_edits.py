"""Where a comment that silences a finding is written, so that it works and no code changes."""

import ast

import pytest

from np2jax.migrate.syntax.suppression_edits import silence
from np2jax.migrate.syntax.suppressions import directives

CASES = {
    "the end of the line": ("y = f(x)\n", 1, "y = f(x)  # np2jax: ignore[NJ1]\n"),
    "after a comment": ("y = f(x)  # why\n", 1, "y = f(x)  # why  # np2jax: ignore[NJ1]\n"),
    "trailing space": ("y = f(x)   \n", 1, "y = f(x)  # np2jax: ignore[NJ1]\n"),
    "no newline at the end": ("y = f(x)", 1, "y = f(x)  # np2jax: ignore[NJ1]"),
    "carriage returns": ("a = 1\r\ny = f(x)\r\n", 2, "a = 1\r\ny = f(x)  # np2jax: ignore[NJ1]\r\n"),
    "a header": ("def f(x):\n    return x\n", 1, "def f(x):  # np2jax: ignore[NJ1]\n    return x\n"),
    "a decorator": ("@jit\ndef f(x):\n    pass\n", 2, "@jit\ndef f(x):  # np2jax: ignore[NJ1]\n    pass\n"),
    "inside brackets": ("y = f(\n    x,\n    z)\n", 2, "y = f(\n    x,  # np2jax: ignore[NJ1]\n    z)\n"),
    "a string of several lines": ('y = f("""a\nb""", x)\n', 1, 'y = f("""a\nb""", x)  # np2jax: ignore[NJ1]\n'),
    "inside such a string": ('y = f("""a\nb\nc""")\n', 2, 'y = f("""a\nb\nc""")  # np2jax: ignore[NJ1]\n'),
    "an f-string of several lines": ('y = f"""{\nf(x)\n} b\n"""\n', 2, 'y = f"""{\nf(x)\n} b\n"""  # np2jax: ignore[NJ1]\n'),
    "a backslash": ("y = f(x) + \\\n    g(x)\n", 1, "y = f(x) + \\\n    g(x)  # np2jax: ignore[NJ1]\n"),
    "a backslash after the finding": ("y = (f(x)\n  + 1) + \\\n 2\n", 1, "y = (f(x)  # np2jax: ignore[NJ1]\n  + 1) + \\\n 2\n"),
    "a comment that ends with a backslash": ("y = f(  # \\\n  x)\n", 1, "y = f(  # \\  # np2jax: ignore[NJ1]\n  x)\n"),
    "a form feed": ("\x0cy = f(x)\n", 1, "\x0cy = f(x)  # np2jax: ignore[NJ1]\n"),
    "an existing comment": ("y = f(x)  # np2jax: ignore[NJ3, NJ2] old\n", 1, "y = f(x)  # np2jax: ignore[NJ1, NJ2, NJ3] old\n"),
    "elsewhere in the statement": ("y = f(\n  x)  # np2jax:ignore[NJ2]\n", 1, "y = f(\n  x)  # np2jax:ignore[NJ1, NJ2]\n"),
    "a misspelt comment": ("y = f(x)  # np2jax: ignor[NJ1]\n", 1, "y = f(x)  # np2jax: ignor[NJ1]  # np2jax: ignore[NJ1]\n"),
    "a comment of another tool": ("y = f(x)  # type: ignore[a]\n", 1, "y = f(x)  # type: ignore[a]  # np2jax: ignore[NJ1]\n"),
    "several statements": ("a = 1; y = f(x)\n", 1, "a = 1; y = f(x)  # np2jax: ignore[NJ1]\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_where_the_comment_goes(name):
    text, line, expected = CASES[name]
    done = silence(text, {line: {"NJ1"}})
    assert (done.text, done.impossible) == (expected, {})
    assert any(each.silences(line, "NJ1") for each in directives(done.text))
    assert ast.dump(ast.parse(done.text)) == ast.dump(ast.parse(text))


def test_codes_are_sorted_and_one_comment_serves_a_statement():
    done = silence("y = f(x,\n      g(x))\n", {1: {"NJ3", "NJ1"}, 2: {"NJ2"}})
    assert done.text == "y = f(x,  # np2jax: ignore[NJ1, NJ2, NJ3]\n      g(x))\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("# only a comment\nx = 1\n", 1, "it is about no statement"),
        ("x = 1\ry = 2\r", 1, "its lines end with carriage returns alone"),
        ("x = 1\ndef f(:\n", 1, "a comment would change the code"),
    ],
)
def test_what_cannot_be_silenced(text, line, reason):
    done = silence(text, {line: {"NJ1"}})
    assert (done.text, done.impossible) == (text, {line: reason})
