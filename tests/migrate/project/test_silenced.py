"""Comments that are misspelt, or silence nothing, are findings; those that have an effect are not."""

import json

import pytest

HEAD = "import numpy as np\n\n\n"


@pytest.fixture
def comments(np2jax, tree):
    """Lint a text; returns the lines, columns and messages of the findings about comments, by code."""

    def run(text, *options):
        tree({"a.py": text})
        out = np2jax("lint", "a.py", "--format", "json", *options)[1]
        items = [item for item in json.loads(out)["diagnostics"] if item["code"] < "NJ1"]
        return [(item["code"], item["line"], item["column"], item["message"]) for item in items]

    return run


def test_a_misspelt_comment(comments):
    ((code, line, column, message),) = comments(HEAD + "def f(x):\n    return np.sum(x)  # np2jax: ignor[NJ101]\n")
    assert (code, line, column) == ("NJ001", 5, 23)
    assert "`# np2jax: ignor[NJ101]` is not a comment for np2jax" in message


@pytest.mark.parametrize("unknown", ["NJ999", "N101", "nj101", "NJ101 NJ102", "numpy-name"])
def test_an_unknown_code(comments, unknown):
    ((code, line, _, message),) = comments(HEAD + f"def f(x):\n    return np.sum(x)  # np2jax: ignore[{unknown}]\n")
    assert (code, line) == ("NJ001", 5)
    assert f"unknown code `{unknown}`" in message


def test_a_comment_where_nothing_is_found(comments):
    found = comments(HEAD + "def f(x):\n    y = 1  # np2jax: ignore\n    return np.sum(x) + y\n")
    assert [(code, line, column) for code, line, column, _ in found] == [("NJ002", 5, 12)]


def test_each_code_is_judged_by_itself(comments):
    ((code, _, _, message),) = comments(HEAD + "def f(x):\n    return np.sum(x)  # np2jax: ignore[NJ101, NJ301]\n")
    assert (code, message) == ("NJ002", "no NJ301 is found here that this comment silences")


def test_a_comment_on_a_line_of_its_own(comments):
    ((code, line, _, message),) = comments(HEAD + "def f(x):\n    # np2jax: ignore\n    return np.sum(x)\n")
    assert (code, line) == ("NJ002", 5)
    assert "a line of its own" in message


def test_in_a_file_without_numpy(comments):
    found = comments("x = 1  # np2jax: ignore\ny = 1  # np2jax: ignor\n")
    assert [item[:2] for item in found] == [("NJ002", 1), ("NJ001", 2)]


@pytest.mark.parametrize("code", ["NJ101", "NJ1", "NJ"])
def test_a_comment_that_silences_a_finding_is_used(comments, code):
    expected = [] if code != "NJ" else ["NJ001"]  # a family has at least a digit
    text = HEAD + f"def f(x):\n    return np.sum(x)  # np2jax: ignore[{code}]\n"
    assert [item[0] for item in comments(text)] == expected


def test_a_comment_that_keeps_a_function_as_numpy_is_used(comments):
    """The function is not compiled any more, so the finding NJ501 is not there for the comment to silence."""
    assert comments(HEAD + "def f(x: np.ndarray):  # np2jax: ignore[NJ501]\n    return np.sum(x)\n") == []


@pytest.mark.parametrize("line", ["x[0] = 3", "x = np.sort(x)", "for i in range(3): x[i] += i", "y = np.random.rand(3)"])
def test_a_bare_comment_that_has_an_effect_is_used(comments, line):
    assert comments(HEAD + f"def f(x: np.ndarray):\n    {line}  # np2jax: ignore\n    return x\n") == []


STATEMENTS = """def h(x: np.ndarray, y: np.ndarray):
    print("start")
    a = np.exp(x) * np.sin(y) + np.cos(x) / (1 + y**2)  # np2jax: ignore[CODE]
    b = np.sqrt(a * a + x * x) - np.tanh(a) * np.log1p(y * y)
    c = np.exp(-b) * a + b
    print(c.sum())
    return c
"""


def test_a_comment_for_the_other_placement_is_used(comments):
    """Only `convert`, with its default placement, moves statements (NJ424); lint looks for what JAX can run."""
    assert comments(HEAD + STATEMENTS.replace("CODE", "NJ424")) == []
    assert [item[0] for item in comments(HEAD + STATEMENTS.replace("CODE", "NJ423"))] == ["NJ002"]


def test_codes_that_the_options_exclude_are_not_judged(comments):
    text = HEAD + "def f(x):\n    return 1  # np2jax: ignore[NJ101, NJ301]\n"
    assert len(comments(text)) == 2
    assert comments(text, "--select", "NJ1") == []
    assert comments(text, "--ignore", "NJ002") == []
    assert [item[3] for item in comments(text, "--ignore", "NJ3")] == ["no NJ101 is found here that this comment silences"]


def test_convert_reports_only_the_misspelt(np2jax, tree):
    root = tree({"a.py": HEAD + "def f(x):\n    y = 1  # np2jax: ignore\n    return np.sum(x)  # np2jax: ignor\n"})
    np2jax("convert", "a.py", "--diff", "--report", "r.json")
    codes = [item["code"] for item in json.loads((root / "r.json").read_text())["diagnostics"]]
    assert [code for code in codes if code < "NJ1"] == ["NJ001"]
