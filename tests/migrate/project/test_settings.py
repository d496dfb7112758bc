import pytest

from np2jax.migrate.project.failure import Failure
from np2jax.migrate.project.settings import Settings, load, rule_codes

CODES = ("NJ101", "NJ201", "NJ202")


def settings(tree, text):
    return load([tree({"pyproject.toml": text, "pkg/a.py": ""}) / "pkg"])


def test_every_key_is_read(tree):
    text = """
[tool.np2jax]
precision = "float32"
select = ["NJ2"]
ignore = ["NJ201"]
public = ["pkg.a.f"]
exclude = ["tests"]
unsafe = true
extend-select = ["NJ825"]
per-file-ignores = { "tests/*" = ["NJ1", "NJ2"] }
"""
    expected = Settings("float32", ("NJ2",), ("NJ201",), ("pkg.a.f",), ("tests",), True)
    expected = expected._replace(extend_select=("NJ825",), per_file_ignores=(("tests/*", ("NJ1", "NJ2")),))
    found = settings(tree, text)
    assert found.base is not None
    assert found == expected._replace(base=found.base)


def test_without_a_table_the_defaults_hold(tree):
    assert settings(tree, "[project]\nname = 'np2jax-user'\n") == Settings()


def test_the_nearest_table_is_taken(tree):
    root = tree({"pyproject.toml": "[tool.np2jax]\nunsafe = true\n", "pkg/pyproject.toml": "[project]\n", "pkg/a.py": ""})
    assert load([root / "pkg" / "a.py"]).unsafe


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.np2jax]\nprecison = 'float32'\n", "unknown key `precison` in .*did you mean `precision`"),
        ("[tool.np2jax]\nper_file_ignore = {}\n", "unknown key `per_file_ignore` in .*did you mean `per-file-ignores`"),
        ("[tool.np2jax]\nper-file-ignores = ['a.py']\n", "`per-file-ignores` .* must be a table of lists of strings"),
        ("[tool.np2jax.per-file-ignores]\n'a.py' = 'NJ1'\n", "`per-file-ignores` .* must be a table of lists of strings"),
        ("[tool.np2jax]\nzzz = 1\n", "unknown key `zzz`"),
        ("[tool.np2jax]\nunsafe = 'yes'\n", "`unsafe` .* must be true or false"),
        ("[tool.np2jax]\nselect = 'NJ201'\n", "`select` .* must be a list of strings"),
        ("[tool.np2jax]\nexclude = [1]\n", "`exclude` .* must be a list of strings"),
        ("[tool.np2jax]\nprecision = 'float16'\n", "must be float64 or float32, not 'float16'"),
        ("[tool]\nnp2jax = 3\n", "is not a table"),
        ("[tool.np2jax\n", "not valid TOML"),
    ],
)
def test_wrong_settings_are_named(tree, text, message):
    with pytest.raises(Failure, match=message) as error:
        settings(tree, text)
    assert "pyproject.toml: " in str(error.value)
    assert "\n" not in str(error.value)


def test_rule_codes_and_families():
    assert rule_codes(["NJ2", "NJ101", "NJ201"], CODES, "select") == ("NJ201", "NJ202", "NJ101")


@pytest.mark.parametrize(("code", "near"), [("NJ203", "NJ20"), ("NJ", ""), ("", ""), ("E501", "")])
def test_unknown_rule_codes(code, near):
    with pytest.raises(Failure, match=f"select: unknown rule code `{code}`.*{near}"):
        rule_codes([code], CODES, "select")
