import click
import pytest

from np2jax.migrate.commands.formats import concise, text
from np2jax.migrate.commands.formats.findings_report import FindingsReport, count, source_lines


def test_each_finding_with_its_line(report):
    assert click.unstyle(text.render(report)) == (
        "pkg/a b.py:3:5: NJ101 `np.sqrt` is `jnp.sqrt` [*]\n"
        "  |\n"
        "3 | y = np.sqrt(x)\n"
        "  |     ^^^^^^^\n"
        "\n"
        "pkg/b.py:1:1: NJ999 50% of it: by <hand> & \x07\n"
        "  |\n"
        "1 | y = (\n"
        "  | ^^^^^"
    )


def test_one_line_for_each_finding(report):
    assert click.unstyle(concise.render(report)).splitlines() == [
        "pkg/a b.py:3:5: NJ101 `np.sqrt` is `jnp.sqrt` [*]",
        "pkg/b.py:1:1: NJ999 50% of it: by <hand> & \x07",
    ]


def test_the_counts(report):
    assert count(report) == "2 findings in 2 files; `--fix` changes the 1 marked [*]"
    assert count(FindingsReport(())) == "no findings"
    assert count(FindingsReport((), report.errors)) == "no findings; not every file could be read"


@pytest.mark.parametrize(
    ("line", "column", "end", "expected"),
    [
        ("\tx = f(y)", 2, 3, ("    x = f(y)", "    ^")),
        ("name = '東京'; f(x)", 14, 18, ("name = '東京'; f(x)", "               ^^^^")),
        ("x = '\x1b[31m'", 1, 2, ("x = '␛[31m'", "^")),
        ("", 1, 5, ("", "^")),
        ("ab", 9, 12, ("ab", "  ^")),
    ],
)
def test_carets_stand_below_the_code(line, column, end, expected):
    assert text.excerpt(line, column, end) == expected


def test_a_long_line_is_cut_around_the_finding():
    code, carets = text.excerpt("x" * 500 + "f(y)" + "z" * 500, 501, 505)
    assert len(code) < 170
    assert code[carets.index("^") : len(carets)] == "f(y)"


def test_only_newlines_end_a_line(report, finding):
    assert source_lines(b"\xef\xbb\xbfa\r\n\x0cb\x1c\rc") == ("a", "\x0cb\x1c", "c")
    assert source_lines("# coding: latin-1\n'é'\n".encode("latin-1"))[1] == "'é'"


def test_a_file_that_is_not_known(finding):
    assert click.unstyle(text.render(FindingsReport((finding("gone.py", 7),)))) == "gone.py:7:1: NJ101 m"
