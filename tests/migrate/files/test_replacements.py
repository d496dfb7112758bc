"""`np2jax lint --fix` in code that is JAX already."""

import ast

import pytest

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"
SAFE = [
    ("y = jax.tree_map(abs, x)", "y = jax.tree.map(abs, x)"),
    ("y = jnp.row_stack((x, x))  # both", "y = jnp.vstack((x, x))  # both"),
    ("z = jnp.zeros(3)\nz[0] = 1.0", "z = jnp.zeros(3)\nz = z.at[0].set(1.0)"),
    ("z = jnp.zeros((3, 3))\nz[1:, ::2] *= (\n    2.0\n)", "z = jnp.zeros((3, 3))\nz = z.at[1:, ::2].multiply(2.0)"),
    ("é = jnp.zeros(3); é[0] -= 1e-3", "é = jnp.zeros(3); é = é.at[0].subtract(1e-3)"),
]
UNSAFE = [
    ("key = jax.random.PRNGKey( 0 )", "key = jax.random.key( 0 )"),
    ("z = jnp.zeros(3)\nz.at[0].set(1)", "z = jnp.zeros(3)\nz = z.at[0].set(1)"),
    ("p = jnp.log(jax.nn.softmax(jnp.ones(3), axis=-1))", "p = jax.nn.log_softmax(jnp.ones(3), axis=-1)"),
    ("s = 10 ** -jnp.arange(4)", "s = 10.0 ** -jnp.arange(4)"),
    ("s = 2 ** (jnp.arange(40))", "s = 2.0 ** jnp.arange(40)"),
]
LEFT = [
    "from jax import tree_map\ny = tree_map(abs, x)",
    "z = jnp.zeros(3)\nz[0], z[1] = 1, 2",
    "z = jnp.zeros(3)\nz[0] = 1, 2",
    "z = jnp.zeros(3)\n\n\ndef f():\n    z[0] = 1\n\n\nf()",
    "y = jax.tree_map(abs, x)  # np2jax: ignore[NJ871]",
]


def fixed(np2jax, tree, tmp_path, text, *options):
    tree({"a.py": HEAD + text + "\n"})
    status, _, err = np2jax("lint", "a.py", "--fix", "--allow-dirty", "--no-cache", "--extend-select", "NJ825", *options)
    assert not err
    after = (tmp_path / "a.py").read_text()
    ast.parse(after)
    return status, after.removeprefix(HEAD).removesuffix("\n")


@pytest.mark.parametrize(("before", "after"), SAFE)
def test_a_safe_fix(np2jax, tree, tmp_path, before, after):
    assert fixed(np2jax, tree, tmp_path, before) == (0, after)
    assert np2jax("lint", "a.py")[0] == 0


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_an_unsafe_fix(np2jax, tree, tmp_path, before, after):
    assert fixed(np2jax, tree, tmp_path, before) == (1, before)
    assert fixed(np2jax, tree, tmp_path, before, "--unsafe") == (0, after)


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_as_it_is(np2jax, tree, tmp_path, text):
    assert fixed(np2jax, tree, tmp_path, text, "--unsafe")[1] == text


def test_the_findings_are_marked(np2jax, tree):
    tree({"a.py": HEAD + "y = jax.tree_map(abs, [1])\nz = jnp.zeros(3)\nz.at[0].set(1)\n"})
    out = np2jax("lint", "a.py", "--output-format", "concise")[1]
    assert "NJ871 JAX 0.6.0 removed `jax.tree_map`; use `jax.tree.map` [*]" in out
    assert "bind it [unsafe]" in out
    assert np2jax("lint", "a.py", "--output-format", "concise")[1] == out  # from the cache


def test_rules_for_jax_code_alone_leave_numpy_code_as_it_is(np2jax, tree, tmp_path):
    tree(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": HEAD + "y = jax.tree_map(abs, [1])\n",
            "pkg/b.py": "import numpy as np\n\nx = np.sum(np.ones(3))\n",
        }
    )
    np2jax("lint", "pkg", "--fix", "--allow-dirty", "--no-cache", "--select", "NJ8")
    assert "jax.tree.map" in (tmp_path / "pkg/a.py").read_text()
    assert (tmp_path / "pkg/__init__.py").read_text() == ""
    assert (tmp_path / "pkg/b.py").read_text() == "import numpy as np\n\nx = np.sum(np.ones(3))\n"
