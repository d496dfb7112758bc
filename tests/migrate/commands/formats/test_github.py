from np2jax.migrate.commands.formats.github import render


def test_github(report):
    """Columns belong to annotations of a single line only."""
    assert render(report).splitlines() == [
        "::warning file=pkg/a b.py,line=3,endLine=3,col=5,endColumn=12,title=np2jax NJ101::`np.sqrt` is `jnp.sqrt`",
        "::warning file=pkg/b.py,line=1,endLine=2,title=np2jax NJ999::50%25 of it:%0Aby <hand> & \x07",
        "::error file=pkg/c.py,title=np2jax::pkg/c.py:2: syntax error",
    ]
