"""The server, asked by a real client: it runs in a process of its own and speaks on its standard input and output."""

import asyncio
import sys
import time

import pytest

pytest.importorskip("pygls")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

TEXT = """import numpy as np


def step(u: np.ndarray, k: float):
    u[1:-1] += k * np.diff(u, 2)
    return u


def name(s):
    return s + "é𝄞", np.pi  # np2jax: ignore[NJ301]
"""


class Editor(LanguageClient):
    """A client that keeps the last findings and all messages."""

    def __init__(self):
        super().__init__("test", "1")
        self.found, self.messages, self.news = {}, [], asyncio.Event()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params):
            self.found[params.uri] = params
            self.news.set()

        @self.feature(types.WINDOW_SHOW_MESSAGE)
        def told(params):
            self.messages.append(params.message)
            self.news.set()

    async def until(self, condition, seconds=60):
        """Wait until something that the server tells makes a condition true."""
        end = time.monotonic() + seconds
        while not condition():
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), end - time.monotonic())

    def codes(self, uri):
        known = self.found.get(uri)
        return None if known is None else [(each.code, each.range.start.line) for each in known.diagnostics]

    def type(self, uri, text, version):
        document = types.VersionedTextDocumentIdentifier(version, uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def open(self, path, text):
        uri = path.as_uri()
        self.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text)))
        return uri

    async def actions(self, uri, line, only=None):
        place = types.Range(types.Position(line, 4), types.Position(line, 4))
        context = types.CodeActionContext([], only=only)
        document = types.TextDocumentIdentifier(uri)
        found = await self.text_document_code_action_async(types.CodeActionParams(document, place, context))
        return {each.title: each for each in found}


CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(
            document_changes=True, change_annotation_support=types.ChangeAnnotationsSupportOptions()
        )
    )
)


def serve(folder, conversation):
    async def run():
        editor = Editor()
        await editor.start_io(sys.executable, "-m", "np2jax", "server", cwd=folder)
        await editor.initialize_async(types.InitializeParams(capabilities=CAPABILITIES, root_uri=folder.as_uri()))
        editor.initialized(types.InitializedParams())
        try:
            await conversation(editor)
        finally:
            await editor.shutdown_async(None)
            editor.exit(None)
            await editor.stop()

    asyncio.run(run())


def applied(text, edits):
    lines = text.split("\n")
    for edit in reversed(edits):
        start, end = edit.range.start, edit.range.end
        head, tail = lines[start.line][: start.character], lines[end.line][end.character :]
        lines[start.line : end.line + 1] = (head + edit.new_text + tail).split("\n")
    return "\n".join(lines)


def test_a_session(tree, np2jax, monkeypatch):
    root = tree({"heat.py": TEXT, "pyproject.toml": '[tool.np2jax]\nignore = ["NJ002"]\n', "old/a.py": TEXT})
    monkeypatch.setenv("NP2JAX_CACHE_DIR", str(root / ".cache"))
    printed = [line.split(":") for line in np2jax("lint", "heat.py", "-q", "--format", "concise")[1].splitlines()]
    expected = [(text.split()[0], int(line) - 1) for _, line, _, text, *_ in printed]

    async def conversation(editor):
        uri = editor.open(root / "heat.py", TEXT)
        await editor.until(lambda: editor.found.get(uri))
        shown = editor.found[uri].diagnostics
        assert editor.codes(uri) == expected
        assert not any(d.code == "NJ002" for d in shown), "pyproject.toml counts"
        (pi,) = [d for d in shown if d.range.start.line == 9 and d.code == "NJ101"]
        assert pi.range.start.character == len('    return s + "é𝄞", '.encode("utf-16-le")) // 2
        assert {d.severity for d in shown} == {types.DiagnosticSeverity.Information}

        # A syntax error keeps what is shown; a new line moves it, and shows what is new at once.
        before = editor.codes(uri)
        editor.type(uri, TEXT.replace("return u", "return (u"), 2)
        await asyncio.sleep(1)
        assert editor.codes(uri) == before
        longer = TEXT.replace("    return u\n", "    v = np.sqrt(u)\n    return v\n")
        editor.type(uri, longer, 3)
        await editor.until(lambda: ("NJ101", 5) in editor.codes(uri))
        assert ("NJ101", 10) in editor.codes(uri)

        # Hover says what the analysis knows, and where the function will run.
        at = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(4, 4))
        said = (await editor.text_document_hover_async(at)).contents.value
        assert "`u`: array\n" in said
        assert "`step` is JAX, compiled by `jit`" in said

        # Converting one function leaves the others as they are, and asks first.
        found = await editor.actions(uri, 4)
        assert all(action.edit is None for action in found.values())
        convert = await editor.code_action_resolve_async(found["np2jax: convert `step` to JAX"])
        (change,) = convert.edit.document_changes
        assert convert.edit.change_annotations[change.edits[0].annotation_id].needs_confirmation
        converted = applied(longer, change.edits)
        assert "@jax.jit\ndef _step(u: np.ndarray" in converted or "@jax.jit\ndef _step(u: jax.Array" in converted
        assert "u.at[1:-1].add(" in converted
        assert 'return s + "é𝄞", np.pi' in converted

        # Fixes are those of `lint --fix`; a comment silences one finding.
        only = await editor.actions(uri, 0, only=["source.fixAll"])
        (fix,) = only.values()
        fixed = await editor.code_action_resolve_async(fix)
        (root / "heat.py").write_text(longer)
        np2jax("lint", "heat.py", "--fix", "--allow-dirty")
        assert applied(longer, fixed.edit.document_changes[0].edits) == (root / "heat.py").read_text()
        silence = await editor.code_action_resolve_async(found["np2jax: silence NJ201 here by a comment"])
        silenced = applied(longer, silence.edit.document_changes[0].edits)
        assert silenced == longer.replace("np.diff(u, 2)", "np.diff(u, 2)  # np2jax: ignore[NJ201]")

        # Settings that are wrong are told once, and excluded files have no findings.
        (root / "pyproject.toml").write_text('[tool.np2jax]\nexclud = ["old"]\n')
        editor.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        await editor.until(lambda: editor.messages)
        assert "unknown key `exclud`" in editor.messages[0]
        (root / "pyproject.toml").write_text('[tool.np2jax]\nexclude = ["old"]\n')
        excluded = editor.open(root / "old" / "a.py", TEXT)
        await editor.until(lambda: editor.codes(excluded) is not None)
        assert editor.codes(excluded) == []

    serve(root, conversation)


def test_a_file_that_is_opened_with_a_syntax_error_says_so(tree):
    root = tree({"pyproject.toml": ""})

    async def conversation(editor):
        uri = editor.open(root / "new.py", "import numpy as np\ndef f(:\n")
        await editor.until(lambda: editor.found.get(uri))
        (only,) = editor.found[uri].diagnostics
        assert "syntax error" in only.message
        editor.type(uri, "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n", 2)
        await editor.until(lambda: ("NJ101", 4) in editor.codes(uri))

        # What is wrong in JAX code is a warning, and its fix is an edit.
        editor.type(uri, "import jax\n\ny = jax.tree_map(abs, [1])\n", 3)
        await editor.until(lambda: ("NJ871", 2) in editor.codes(uri))
        assert editor.found[uri].diagnostics[0].severity == types.DiagnosticSeverity.Warning
        fix = (await editor.actions(uri, 2))["np2jax: write `jax.tree.map`"]
        assert applied("import jax\n\ny = jax.tree_map(abs, [1])", fix.edit.changes[uri]).endswith("y = jax.tree.map(abs, [1])")

    serve(root, conversation)


def test_without_pygls_it_says_what_to_install(np2jax, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygls", None)
    status, out, err = np2jax("server")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "pip install 'np2jax[server]'" in err
