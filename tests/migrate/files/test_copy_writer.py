import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from np2jax.migrate.files.copy_writer import MARKER, check_output, note_about, read_note, write_copy
from np2jax.migrate.project.failure import Failure

FILES = {
    "pkg/__init__.py": "",
    "pkg/a.py": "a = 1\n",
    "pkg/data/table.csv": "1,2\n",
    "pkg/.config": "x\n",
    "pkg/run.sh": "#!/bin/sh\n",
}


def contents(root):
    return {
        path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file() and path.name != MARKER
    }


def make(root, sources=("pkg",), output="out", force=False, **new):
    paths = [root / source for source in sources]
    check_output(paths, root / output, force=force)
    write_copy(paths, root / output, {root / name: text.encode() for name, text in new.items()}, {"np2jax": "1"})
    return contents(root / output)


def test_everything_is_copied_and_some_files_are_new(tree):
    root = tree(FILES)
    (root / "pkg/run.sh").chmod(0o755)
    before = contents(root / "pkg")
    made = make(root, **{"pkg/a.py": "a = 2\n"})
    assert made == {**before, "a.py": "a = 2\n"}
    assert os.access(root / "out/run.sh", os.X_OK)
    assert contents(root / "pkg") == before
    assert sorted(path.name for path in root.iterdir()) == ["out", "pkg"]


def test_history_caches_and_environments_are_not_copied(tree):
    root = tree({**FILES, "pkg/.git/HEAD": "", "pkg/__pycache__/a.pyc": "", "pkg/venv/pyvenv.cfg": "", "pkg/venv/lib/x.py": ""})
    assert set(make(root)) == {"__init__.py", "a.py", "data/table.csv", ".config", "run.sh"}


def test_several_paths_are_copied_by_their_names(tree):
    root = tree({**FILES, "one.py": "1\n"})
    assert set(make(root, ["pkg/data", "one.py"])) == {"data/table.csv", "one.py"}


def test_one_file_is_copied_into_the_folder(tree):
    root = tree({"one.py": "1\n"})
    assert make(root, ["one.py"], **{"one.py": "2\n"}) == {"one.py": "2\n"}


def test_an_output_that_np2jax_made_is_replaced(tree):
    root = tree(FILES)
    make(root)
    (root / "pkg/run.sh").unlink()
    assert set(make(root)) == {"__init__.py", "a.py", "data/table.csv", ".config"}


def test_files_that_were_added_to_the_output_stay(tree):
    root = tree(FILES)
    make(root)
    (root / "out/results").mkdir()
    (root / "out/results/energy.txt").write_text("1\n")
    assert make(root)["results/energy.txt"] == "1\n"


def test_edits_in_the_output_are_not_lost(tree):
    root = tree(FILES)
    make(root)
    (root / "out/a.py").write_text("edited\n")
    with pytest.raises(Failure, match=r"out/a\.py: was changed since np2jax made it"):
        make(root)
    assert make(root, force=True)["a.py"] == "a = 1\n"


@pytest.mark.parametrize("output", ["pkg", "pkg/out", ".", "pkg/../pkg", "link"])
def test_an_output_in_or_around_the_source_is_refused(tree, output):
    root = tree(FILES)
    os.symlink("pkg", root / "link")
    with pytest.raises(Failure, match="must lie outside"):
        make(root, output=output)


def test_an_output_with_files_of_others_is_refused(tree):
    root = tree({**FILES, "out/mine.txt": "mine\n"})
    with pytest.raises(Failure, match="was not made by np2jax"):
        make(root)
    assert contents(root / "out") == {"mine.txt": "mine\n"}


def test_an_output_that_is_a_file_is_refused(tree):
    root = tree({**FILES, "out": "mine\n"})
    with pytest.raises(Failure, match="must be a folder"):
        make(root)


def test_an_output_called_like_a_file_is_refused(tree):
    root = tree(FILES)
    with pytest.raises(Failure, match=r"the output is a folder, .* try -o out$"):
        make(root, output="out.py")
    assert not (root / "out.py").exists()


def test_two_paths_of_one_name_are_refused(tree):
    root = tree({"a/x.py": "", "b/x.py": ""})
    with pytest.raises(Failure, match="same name"):
        make(root, ["a/x.py", "b/x.py"])


def test_an_empty_output_is_taken(tree):
    root = tree(FILES)
    (root / "out").mkdir()
    assert make(root)["a.py"] == "a = 1\n"


def test_links_stay_links(tree):
    root = tree({**FILES, "far/away.txt": "far\n"})
    os.symlink("data/table.csv", root / "pkg/near.csv")
    os.symlink("../far", root / "pkg/far")
    os.symlink("nowhere", root / "pkg/broken")
    os.symlink(".", root / "pkg/loop")
    made = make(root)
    assert made["near.csv"] == "1,2\n"
    assert os.readlink(root / "out/near.csv") == "data/table.csv"
    assert (root / "out/far/away.txt").read_text() == "far\n"
    assert (root / "out/broken").is_symlink()


def test_the_note_is_plain_json(tree):
    root = tree(FILES)
    make(root)
    note = read_note(root / "out")
    assert note == json.loads((root / "out" / MARKER).read_text())
    assert set(note["files"]) == {"__init__.py", "a.py", "data/table.csv", ".config", "run.sh"}


def test_the_note_about_a_part_of_the_output(tree):
    root = tree(FILES)
    make(root)
    note = read_note(root / "out")
    for part in ("", "a.py", "data", "data/table.csv"):
        assert note_about(root / "out" / part) == note
    (root / "out/mine").mkdir()  # not by np2jax: the note says nothing about it
    for part in ("mine", "gone.py", ".."):
        assert note_about(root / "out" / part) is None


def test_a_full_disk_leaves_the_output_as_it_was(tree):
    root = tree({**FILES, "pkg/large.bin": "#" * 100_000})
    (root / "pkg/large.bin").rename(root / "large.bin")
    before = make(root)
    (root / "large.bin").rename(root / "pkg/large.bin")
    program = f"""
    import resource, sys
    from pathlib import Path
    from np2jax.migrate.project.failure import Failure
    from np2jax.migrate.files.copy_writer import write_copy
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    try:
        write_copy([Path({str(root / "pkg")!r})], Path({str(root / "out")!r}), {{}}, {{}})
    except Failure as error:
        sys.exit(str(error))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "out is as it was" in done.stderr
    assert done.stderr.count("\n") == 1
    assert contents(root / "out") == before
    assert sorted(path.name for path in root.iterdir()) == ["out", "pkg"]


def test_a_folder_that_cannot_be_written_is_named_as_it_was_given(tree, monkeypatch):
    monkeypatch.chdir(tree(FILES))
    with pytest.raises(Failure, match=r"^/proc/x: cannot be written \(No such file or directory\)$"):
        write_copy([Path("pkg")], Path("/proc/x"), {}, {})


def test_a_kill_between_the_renames_is_undone_by_the_next_run(tree):
    root = tree(FILES)
    make(root)
    (root / "out").rename(root / ".out.np2jax-old")
    (root / ".out.np2jax-new").mkdir()
    (root / ".out.np2jax-old/results.txt").write_text("1\n")
    assert make(root)["results.txt"] == "1\n"
    assert sorted(path.name for path in root.iterdir()) == ["out", "pkg"]
