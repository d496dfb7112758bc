import os
import signal
import stat
import subprocess
import sys
import textwrap

import pytest

from np2jax.migrate.files.in_place_writer import JOURNAL, Change, write_in_place
from np2jax.migrate.files.interruptions import check_whole, recover
from np2jax.migrate.project.failure import Failure

OLD = {"a.py": b"a = 1\n", "sub/b.py": b"b = 1\n", "sub/c.py": b"c = 1\n"}
NEW = {"a.py": b"a = 2\n", "sub/b.py": b"b = 2\n", "sub/c.py": b"c = 2\n"}


def contents(root):
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def changes(root):
    return [Change(root / name, OLD[name], NEW[name]) for name in OLD]


def test_all_files_are_replaced_and_nothing_is_left_behind(tree):
    root = tree(OLD)
    write_in_place(changes(root))
    assert contents(root) == NEW


def test_modes_are_kept(tree):
    root = tree(OLD)
    (root / "a.py").chmod(0o751)
    write_in_place(changes(root))
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o751


def test_links_are_followed(tree):
    root = tree(OLD)
    os.symlink("a.py", root / "link.py")
    write_in_place([Change(root / "link.py", OLD["a.py"], NEW["a.py"])])
    assert (root / "link.py").is_symlink()
    assert (root / "a.py").read_bytes() == NEW["a.py"]


def test_a_read_only_file_stops_everything(tree):
    root = tree(OLD)
    (root / "sub/c.py").chmod(0o444)
    with pytest.raises(Failure, match=r"sub/c\.py: is read-only"):
        write_in_place(changes(root))
    assert contents(root) == OLD


def test_a_file_that_changed_meanwhile_stops_everything(tree):
    root = tree(OLD)
    (root / "sub/b.py").write_bytes(b"edited\n")
    with pytest.raises(Failure, match=r"sub/b\.py: was changed while"):
        write_in_place(changes(root))
    assert contents(root) == {**OLD, "sub/b.py": b"edited\n"}


def test_a_file_that_is_gone_stops_everything(tree):
    root = tree(OLD)
    (root / "sub/b.py").unlink()
    with pytest.raises(Failure, match=r"sub/b\.py: cannot be read"):
        write_in_place(changes(root))
    assert (root / "a.py").read_bytes() == OLD["a.py"]


def run_limited(root, setup):
    """Write in another process after `setup`, a statement that makes trouble; returns that process."""
    program = f"""
    import errno, os, resource, signal, sys
    from pathlib import Path
    from np2jax.migrate.files.in_place_writer import Change, write_in_place
    from np2jax.migrate.project.failure import Failure
    root = Path({str(root)!r})
    changes = [Change(root / name, old, old.replace(b"1", b"2") + b"#" * 100_000) for name, old in {OLD!r}.items()]
    rename, count = os.replace, 0
    def replace(*names):
        global count
        count += 1
        if count == 2:
            trouble()
        rename(*names)
    {setup}
    try:
        write_in_place(changes)
    except Failure as error:
        sys.exit(str(error))
    """
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)


def test_a_full_disk_leaves_the_files_as_they_were(tree):
    root = tree(OLD)
    done = run_limited(root, "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"{root / 'a.py'}: cannot be written" in done.stderr
    assert contents(root) == OLD


def test_a_kill_before_the_first_rename_changes_nothing(tree):
    root = tree(OLD)
    done = run_limited(root, "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode == -signal.SIGKILL
    assert {name: (root / name).read_bytes() for name in OLD} == OLD


def test_a_kill_while_writing_is_undone_by_the_next_run(tree):
    root = tree(OLD)
    done = run_limited(root, "os.chmod = lambda *_: os.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode == -signal.SIGKILL
    assert (root / JOURNAL).exists()
    assert recover([root]) == [f"{root}: an interrupted conversion had changed nothing; its temporary files are removed"]
    assert contents(root) == OLD


@pytest.mark.parametrize("where", ["", "sub", "sub/b.py"])
def test_a_kill_while_renaming_is_completed_by_the_next_run(tree, where):
    root = tree(OLD)
    done = run_limited(root, "os.replace, trouble = replace, lambda: os.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode == -signal.SIGKILL
    assert (root / "a.py").read_bytes() != OLD["a.py"]
    assert (root / "sub/b.py").read_bytes() == OLD["sub/b.py"]
    assert recover([root / where]) == [f"{root}: an interrupted conversion of 3 files has been completed"]
    assert contents(root) == {name: NEW[name] + b"#" * 100_000 for name in NEW}
    assert recover([root]) == []


def test_a_file_that_changed_after_a_kill_is_not_overwritten(tree):
    root = tree(OLD)
    run_limited(root, "os.replace, trouble = replace, lambda: os.kill(os.getpid(), signal.SIGKILL)")
    (root / "sub/b.py").write_bytes(b"edited\n")
    (said,) = recover([root])
    assert "is not completed" in said
    assert "sub/b.py was changed" in said
    assert contents(root) == {**OLD, "a.py": NEW["a.py"] + b"#" * 100_000, "sub/b.py": b"edited\n"}


@pytest.mark.parametrize("trouble", ["raise_(KeyboardInterrupt)", "raise_(OSError(errno.EPERM, 'no', 'sub/b.py'))"])
def test_an_error_while_renaming_is_undone_at_once(tree, trouble):
    root = tree(OLD)
    setup = f"""exec('''def raise_(error): raise error
def trouble():
    os.replace = rename
    {trouble}
os.replace = replace''')"""
    done = run_limited(root, setup)
    assert done.returncode
    assert contents(root) == OLD


def test_two_runs_at_once_are_refused(tree):
    root = tree({**OLD, JOURNAL: ""})
    with pytest.raises(Failure, match="another np2jax is writing"):
        write_in_place(changes(root))
    assert recover([root]) == [f"{root}: an interrupted conversion had changed nothing"]


def test_a_run_that_is_still_writing_is_not_recovered(tree):
    fcntl = pytest.importorskip("fcntl")
    root = tree({**OLD, JOURNAL: ""})
    with (root / JOURNAL).open("rb") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        with pytest.raises(Failure, match="another np2jax is writing"):
            recover([root / "sub"])
    assert (root / JOURNAL).exists()


KILL = "os.replace, trouble = replace, lambda: os.kill(os.getpid(), signal.SIGKILL)"
LONG = {name: NEW[name] + b"#" * 100_000 for name in NEW}


@pytest.mark.parametrize("where", ["", "sub", "sub/b.py"])
def test_a_kill_while_renaming_can_be_undone(tree, where):
    root = tree(OLD)
    run_limited(root, KILL)
    assert recover([root / where], undo=True) == [f"{root}: an interrupted conversion of 3 files has been undone"]
    assert contents(root) == OLD
    assert recover([root], undo=True) == []


def test_without_links_the_old_versions_are_copies(tree):
    root = tree(OLD)
    run_limited(root, "os.link = lambda *_: exec('raise OSError')\n    " + KILL)
    recover([root], undo=True)
    assert contents(root) == OLD


def test_nothing_is_undone_over_an_edited_file(tree):
    root = tree(OLD)
    run_limited(root, KILL)
    (root / "a.py").write_bytes(b"edited\n")
    (said,) = recover([root], undo=True)
    assert "is not undone" in said
    assert "a.py was changed" in said
    assert contents(root) == {**OLD, "a.py": b"edited\n"}


def test_a_kill_after_the_last_rename_leaves_a_whole_conversion(tree):
    root = tree(OLD)
    kill = "os.replace = lambda *names: (rename(*names), names[1].name == 'c.py' and os.kill(os.getpid(), signal.SIGKILL))"
    run_limited(root, kill)
    with pytest.warns(UserWarning, match="left temporary files"):
        check_whole([root])
    assert recover([root], undo=True) == [f"{root}: an interrupted conversion of 3 files has been completed"]
    assert contents(root) == LONG


COMMANDS = {
    "lint": ("lint", "pkg"),
    "a cached lint": ("lint", "pkg/sub/c.py"),
    "a preview": ("convert", "pkg", "--diff"),
    "a check": ("convert", "pkg/a.py", "--check"),
    "a copy": ("convert", "pkg", "-o", "out"),
    "a dump": ("convert", "pkg", "--dump-after", "read"),
    "verify": ("verify", "other", "pkg"),
    "profit": ("profit", "pkg"),
    "record": ("record", "--root", "pkg", "--", "python", "pkg/a.py"),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_command_says_that_files_are_half_written(np2jax, tree, command):
    root = tree({f"pkg/{name}": data for name, data in OLD.items()} | {"other/a.py": ""})
    run_limited(root / "pkg", KILL)
    status, out, err = np2jax(*command)
    assert (status, out) == (2, "")
    assert err == (
        "np2jax: pkg: a conversion was interrupted after 1 of 3 files; `np2jax recover pkg` finishes it, "
        "`np2jax recover --undo pkg` undoes it\n"
    )
    status, out, _ = np2jax("recover", "--undo", "pkg")
    assert (status, out) == (0, f"{root / 'pkg'}: an interrupted conversion of 3 files has been undone\n")
    assert np2jax("recover", "pkg") == (0, "nothing was interrupted here\n", "")


def test_temporary_files_are_no_obstacle(np2jax, tree):
    root = tree({f"pkg/{name}": data for name, data in OLD.items()})
    run_limited(root / "pkg", "os.chmod = lambda *_: os.kill(os.getpid(), signal.SIGKILL)")
    status, out, err = np2jax("lint", "pkg")
    assert (status, out) == (0, "no findings\n")
    assert err == "np2jax: pkg: an interrupted conversion left temporary files; `np2jax recover pkg` removes them\n"


def test_in_place_finishes_what_it_was_killed_at(np2jax, tree):
    root = tree({f"pkg/{name}": data for name, data in OLD.items()})
    run_limited(root / "pkg", KILL)
    status, _, err = np2jax("convert", "pkg", "--allow-dirty")
    assert (status, err) == (0, f"np2jax: {root / 'pkg'}: an interrupted conversion of 3 files has been completed\n")
    assert contents(root / "pkg") == LONG


def test_a_copy_that_is_away_is_restored(np2jax, tree):
    root = tree({"pkg/a.py": "x = 1\n", ".out.np2jax-old/a.py": "x = 2\n"})
    status, _, err = np2jax("verify", "pkg", "out")
    assert (status, err) == (
        2,
        "np2jax: out: a conversion into this folder was interrupted; `np2jax recover out` restores it\n",
    )
    assert np2jax("recover", "out")[0] == 0
    assert contents(root) == {"pkg/a.py": b"x = 1\n", "out/a.py": b"x = 2\n"}
