"""The protocol: what an editor asks, and what it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from ...rules.core.diagnostic import Diagnostic
from ...rules.core.lint_rules import lint_rules
from ...version import __version__
from ..project.discovery import FOREIGN
from ..project.failure import Failure
from . import analysis
from .actions import KINDS, actions, wanted
from .analysis import Request
from .hover import text_at
from .places import Places
from .sessions import Document, Sessions

SOURCE = "np2jax"
ANNOTATION = "np2jax"


def make() -> LanguageServer:
    """A language server. Documents are sent whole, as libraries disagree about what ends a line."""
    server = LanguageServer(SOURCE, __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)

    def show(document: Document) -> None:
        places = Places(document.text, server.workspace.position_codec)
        found = [diagnostic(item, places) for item in document.shown]
        if document.error and document.base is None:
            found = [unreadable(document.error)]
        params = types.PublishDiagnosticsParams(document.uri, found, document.version)
        server.text_document_publish_diagnostics(params)

    def say(message: str) -> None:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"np2jax: {message}"))

    sessions = Sessions(show, say)
    documents(server, sessions)
    questions(server, sessions, say)
    return server


def documents(server: LanguageServer, sessions: Sessions) -> None:
    """What the editor tells about its documents."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        path = to_fs_path(document.uri) if document.uri.startswith("file:") else None
        if path is not None and not FOREIGN & {*Path(path).parts}:
            sessions.open(Document(document.uri, path, document.text, document.version))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in sessions.documents:
            sessions.change(uri, server.workspace.get_text_document(uri).source, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_params: types.DidSaveTextDocumentParams) -> None:
        sessions.saved()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(_params: types.DidChangeWatchedFilesParams) -> None:
        sessions.saved()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        if params.text_document.uri in sessions.documents:
            sessions.close(params.text_document.uri)
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))

    @server.feature(types.SHUTDOWN)
    def stopped(*_params: Any) -> None:
        sessions.stop()


def questions(server: LanguageServer, sessions: Sessions, say: Any) -> None:
    """What the editor asks."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document = sessions.documents.get(params.text_document.uri)
        if document is None:
            return None
        places = Places(document.text, server.workspace.position_codec)
        try:
            facts = await sessions.facts(document)
        except Failure:  # the analysis of the document has told the user
            return None
        found = text_at(facts, *places.line_and_column(params.position))
        if found is None:
            return None
        value, text = found
        place = places.span(value.line, value.column, value.line, value.end_column)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place)

    options = types.CodeActionOptions(code_action_kinds=[*KINDS], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = sessions.documents.get(params.text_document.uri)
        if document is None or document.base is None or document.base.file is None:
            return []
        places = Places(document.text, server.workspace.position_codec)
        line, _ = places.line_and_column(params.range.start)
        last, _ = places.line_and_column(params.range.end)
        here = [item for item in document.shown if item.line <= last and item.end_line >= line]
        found = [(item, diagnostic(item, places)) for item in here]
        every = actions(document.uri, document.text, found, document.shown, line)
        return [each for each in every if wanted(str(each.kind), params.context.only)]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        data: Any = action.data
        document = sessions.documents[data["uri"]]
        text, version, request = document.text, document.version, Request(**{key: data[key] for key in Request._fields})
        try:
            after = await sessions.ask(analysis.edited, document.path, text, request)
        except Failure as failure:
            say(str(failure))
            return action
        places = Places(text, server.workspace.position_codec)
        action.edit = workspace_edit(server, document.uri, version, places.edits_to(after), action)
        return action


def workspace_edit(
    server: LanguageServer, uri: str, version: int, edits: list[types.TextEdit], action: types.CodeAction
) -> types.WorkspaceEdit:
    """An edit as the editor understands it. A conversion asks to be looked at first, where the editor can show it."""
    can = server.client_capabilities.workspace
    support = can.workspace_edit if can else None
    if support is None or not support.document_changes:
        return types.WorkspaceEdit({uri: edits})
    if action.kind != types.CodeActionKind.RefactorRewrite or support.change_annotation_support is None:
        return types.WorkspaceEdit(document_changes=[_document_edit(uri, version, edits)])
    annotated = [types.AnnotatedTextEdit(ANNOTATION, each.range, each.new_text) for each in edits]
    label = types.ChangeAnnotation(action.title, needs_confirmation=True)
    return types.WorkspaceEdit(document_changes=[_document_edit(uri, version, annotated)], change_annotations={ANNOTATION: label})


def _document_edit(uri: str, version: int, edits: Any) -> types.TextDocumentEdit:
    return types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), edits)


def diagnostic(item: Diagnostic, places: Places) -> types.Diagnostic:
    """A finding for the editor: a warning if JAX code is wrong, a hint what there is to convert if it is NumPy."""
    severity = types.DiagnosticSeverity.Warning if _is_wrong(item.code) else types.DiagnosticSeverity.Information
    place = places.span(item.line, item.column, item.end_line, item.end_column)
    return types.Diagnostic(place, item.message, severity=severity, code=item.code, source=SOURCE)


def _is_wrong(code: str) -> bool:
    return code in lint_rules() or code.startswith("NJ0")


def unreadable(reason: str) -> types.Diagnostic:
    """Why nothing is found in a document that was opened with an error in it."""
    start = types.Range(types.Position(0, 0), types.Position(0, 1))
    return types.Diagnostic(start, reason, severity=types.DiagnosticSeverity.Error, source=SOURCE)


def run() -> None:
    """Serve an editor through standard input and output until it says that it ends."""
    make().start_io()
