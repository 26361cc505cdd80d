"""Renaming in the editor: what can be renamed at a place, and the edit that does it in the whole workspace."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from toolsurface_lint.project.discovery.paths import is_below
from toolsurface_lint.reporters import count
from toolsurface_lint.run.renaming.arguments import arguments_at
from toolsurface_lint.run.renaming.plan import Edit, Plan, plan_renaming
from toolsurface_lint.run.renaming.subject import Refused, Subject, subject_of
from toolsurface_lint.server.program import Server
from toolsurface_lint.server.workspace import Opened
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place


class _NotRenamed(JsonRpcException):
    """What the client shows to whoever asked."""

    CODE = types.LSPErrorCodes.RequestFailed.value
    MESSAGE = "cannot be renamed"


class _Target(NamedTuple):
    """What is named at a place: the tool, its argument if it is one, and where exactly."""

    subject: Subject
    argument: str | None
    name: str
    span: Span


def prepare(ls: Server, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    opened = ls.files.opened(params.text_document.uri, everything=True)
    if opened is None:
        return None
    try:
        target = _target(opened, params.position)
    except Refused as error:
        raise _NotRenamed(str(error)) from None
    return None if target is None else types.PrepareRenamePlaceholder(opened.range(target.span), target.name)


def _target(opened: Opened, position: types.Position) -> _Target | None:
    """Raises `Refused` for what only recordings have."""
    project = opened.state.project
    for naming in opened.names_at(position):
        tools = [] if naming.is_pattern else naming.tools
        subject = subject_of(project, tools[0]) if tools else None
        if subject is not None and (found := _inner(naming.place, subject.name)) is not None:
            return _Target(subject, None, subject.name, found)
    if opened.document is not None:
        offset = opened.read_offset(opened.positions.offset(position))
        for tool, argument, place in arguments_at(opened.surfaces, opened.document.path, offset):
            if (found := _inner(place, argument)) is not None:
                return _Target(subject_of(project, tool), argument, argument, found)
    return None


def _inner(place: Place, name: str) -> Span | None:
    """Where the name of a tool is in a place that may have that of its server before it."""
    reads = place.reads() or ""
    part = place.part(len(reads) - len(name), len(reads)) if reads.endswith(name) else place
    span, source = part.span(), part.source
    if span is None or source is None:
        return None
    quoted = span.end - span.start > 1 and source.text[span.start] in "\"'" and part.aspect == "key"
    return Span(span.start + 1, span.end - 1) if quoted else span


def rename(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    opened = ls.files.opened(params.text_document.uri, everything=True)
    target = None if opened is None else _target(opened, params.position)
    if opened is None or target is None:
        return None
    state = opened.state
    try:
        plan = plan_renaming(
            state.project,
            target.subject,
            params.new_name,
            argument=target.argument,
            is_asked=lambda display: _is_inside(opened, state.absolute(display)),
        )
    except Refused as error:
        raise _NotRenamed(str(error)) from None
    broken = next((path for path in plan.edits if state.absolute(path) in state.broken), None)
    if broken is not None:
        raise _NotRenamed(f"{broken} has the name, and cannot be read at present: correct it first")
    _report_left(ls, plan)
    return _workspace_edit(ls, opened, plan)


def _is_inside(opened: Opened, path: str) -> bool:
    """Whether a file lies in the folder, and no link leads from it to anywhere else: an editor writes through links."""
    return opened.folder.holds(path) and is_below(os.path.realpath(path), os.path.realpath(opened.folder.path))


def _report_left(ls: Server, plan: Plan) -> None:
    """Say what is left, which no preview shows."""
    lines = [f"{left.where} is left: {left.why}" for left in plan.left]
    if plan.evidence:
        have = "has" if len(plan.evidence) == 1 else "have"
        lines.append(f"{count(len(plan.evidence), 'recording')} {have} `{plan.subject.name}`, and stay as they are")
    if lines:
        shown = [*lines[:_MOST], *([f"and {len(lines) - _MOST} more"] if len(lines) > _MOST else [])]
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, "\n".join(shown)))


_MOST = 10


def _workspace_edit(ls: Server, opened: Opened, plan: Plan) -> types.WorkspaceEdit:
    able = ls.client_capabilities.workspace and ls.client_capabilities.workspace.workspace_edit
    if not able or not able.document_changes:
        changes = {
            ls.files.uri(opened.state.absolute(path)): [
                types.TextEdit(_range(ls, opened, path, edit), edit.text) for edit in edits
            ]
            for path, edits in plan.edits.items()
        }
        return types.WorkspaceEdit(changes=changes)
    annotated = able.change_annotation_support is not None
    documents: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for path, edits in plan.edits.items():
        absolute = opened.state.absolute(path)
        buffer = ls.files.buffers.get(absolute)
        document = types.OptionalVersionedTextDocumentIdentifier(
            ls.files.uri(absolute), None if buffer is None else buffer.version
        )
        changed: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = []
        for edit in edits:
            range = _range(ls, opened, path, edit)
            changed.append(
                types.AnnotatedTextEdit(_annotation(edit), range, edit.text)
                if annotated
                else types.TextEdit(range, edit.text)
            )
        documents.append(types.TextDocumentEdit(document, changed))
    annotations = _annotations(edit for edits in plan.edits.values() for edit in edits) if annotated else None
    return types.WorkspaceEdit(document_changes=documents, change_annotations=annotations)


def _annotation(edit: Edit) -> str:
    return f"In a {edit.holder}" if edit.sure else f"In a {edit.holder}, by what is around it"


def _annotations(edits: Iterable[Edit]) -> dict[str, types.ChangeAnnotation]:
    """What clients show of each kind of edit, and whether they ask first."""
    return {
        text: types.ChangeAnnotation(text, needs_confirmation=not edit.sure)
        for edit in edits
        for text in (_annotation(edit),)
    }


def _range(ls: Server, opened: Opened, path: str, edit: Edit) -> types.Range:
    opened.state.sources.setdefault(path, edit.source)
    return ls.files.location(opened.state, path, edit.span, moved=False).range
