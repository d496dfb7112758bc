from pathlib import Path

import pytest

from np2jax.migrate.project.path_patterns import PathPattern

BASE = Path("/work/build-7/project")


@pytest.mark.parametrize(
    ("text", "named", "path", "expected"),
    [
        ("tests", False, "tests", True),
        ("tests", False, "pkg/tests", False),
        ("tests", True, "pkg/tests", True),
        ("pkg/*.py", True, "pkg/sub/a.py", True),
        ("sub/*.py", True, "pkg/sub/a.py", False),
        ("*build*", False, "pkg/a.py", False),  # a folder above the project is none of its paths
        ("*build*", True, "pkg/a.py", False),
        ("b*", True, "pkg/a.py", False),
        ("*build*", True, "pkg/rebuild", True),
        ("/work/*/pkg", False, "pkg", True),
        ("/work/*/pkg", True, "src/pkg/a.py", False),
    ],
)
def test_matches(text, named, path, expected):
    assert PathPattern(text, BASE, named).matches(BASE / path, outside=True) is expected


def test_names_outside_of_the_folder():
    pattern = PathPattern("made", BASE, named=True)
    assert pattern.matches(Path("/elsewhere/made"), outside=True)
    assert not pattern.matches(Path("/elsewhere/made"), outside=False)
