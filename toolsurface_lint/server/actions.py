"""What the editor may do about diagnostics: fix them, suppress them, or apply all safe fixes that fit together."""

from __future__ import annotations

import os
from collections.abc import Iterable

from lsprotocol import types

from toolsurface_lint.model.diagnostics import AppliedFix, Diagnostic
from toolsurface_lint.project.settings import FileIgnore
from toolsurface_lint.project.settings.loading import MAX_SETTINGS
from toolsurface_lint.run.add_suppressions.comments import can_hide, plan_comments
from toolsurface_lint.run.add_suppressions.ignores import add_ignores, ignoring, settings_file
from toolsurface_lint.run.add_suppressions.insertions import Insertion
from toolsurface_lint.server.positions import Positions
from toolsurface_lint.server.program import Server
from toolsurface_lint.server.reports import SOURCE
from toolsurface_lint.server.workspace import Opened
from toolsurface_lint.source.files import read_bytes
from toolsurface_lint.source.text import LineIndex, Span

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"


def code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The actions at a place: the fixes of the diagnostics there and what suppresses them, then all safe fixes at once."""
    opened = ls.files.opened(params.text_document.uri)
    if opened is None or opened.document is None:
        return []
    found: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix.value, params):
        first = opened.positions.offset(params.range.start)
        last = opened.positions.offset(params.range.end)
        every = ls.files.diagnostics(opened.buffer.uri)
        for diagnostic, shown in zip(opened.diagnostics, every, strict=False):
            assert diagnostic.location is not None
            span = diagnostic.location.span
            if span.start <= last and first <= span.end:
                found.extend(_quick_fixes(ls, opened, diagnostic, [shown]))
    if _wanted(FIX_ALL, params):
        fixes = _safe_fixes(opened.diagnostics)
        if fixes:
            title = "Apply all safe fixes of toolsurface-lint"
            found.append(types.CodeAction(title, FIX_ALL, edit=_edit(ls, opened, fixes)))
    return found


def _wanted(kind: str, params: types.CodeActionParams) -> bool:
    """Whether the client asks for actions of a kind: for all, for this one, or for one that it is a kind of."""
    only = params.context.only
    if only is None:
        # What fixes a whole file is offered to those who ask for it.
        return kind != FIX_ALL
    asked = [str(one.value if isinstance(one, types.CodeActionKind) else one) for one in only]
    return any(one == kind or kind.startswith(f"{one}.") or not one for one in asked)


def _quick_fixes(
    ls: Server, opened: Opened, diagnostic: Diagnostic, shown: list[types.Diagnostic]
) -> list[types.CodeAction]:
    """The fix of one of the file's diagnostics, then what suppresses it; `shown` is what the client knows it as."""
    quick = types.CodeActionKind.QuickFix
    found = []
    if diagnostic.fix is not None:
        title = diagnostic.fix.title[:1].upper() + diagnostic.fix.title[1:]
        edit = _edit(ls, opened, [diagnostic.fix])
        found.append(types.CodeAction(title, quick, shown, is_preferred=diagnostic.fix.safe or None, edit=edit))
    assert opened.document is not None
    assert diagnostic.location is not None
    line = diagnostic.location.range.start.line
    comments = can_hide(diagnostic) and plan_comments(opened.document, opened.text, {line: [diagnostic.code]})
    if comments:
        change = [_insertion(insertion, opened.positions) for insertion in comments[line]]
        edit = types.WorkspaceEdit(changes={opened.buffer.uri: change})
        found.append(types.CodeAction(f"Suppress {diagnostic.code} here", quick, shown, edit=edit))
        return found
    settings = opened.state.project.settings
    for ignore in ignoring([diagnostic], opened.buffer.path, settings):
        file = settings_file(settings)
        settings_edit = _ignore(ls, file, ignore)
        if settings_edit is not None:
            where = "in this file" if ignore.pointer is None else "here"
            title = f"Ignore {diagnostic.code} {where} ({os.path.basename(file)})"
            found.append(types.CodeAction(title, quick, shown, edit=settings_edit))
    return found


def _insertion(insertion: Insertion, positions: Positions) -> types.TextEdit:
    position = positions.position(insertion.offset)
    return types.TextEdit(types.Range(position, position), insertion.text)


def _edit(ls: Server, opened: Opened, fixes: Iterable[AppliedFix]) -> types.WorkspaceEdit:
    changes: dict[str, list[types.TextEdit]] = {}
    for fix in fixes:
        for edit in fix.edits:
            location = ls.files.location(opened.state, edit.location.path, edit.location.span, moved=False)
            changes.setdefault(location.uri, []).append(types.TextEdit(location.range, edit.text))
    return types.WorkspaceEdit(changes=changes)


def _ignore(ls: Server, path: str, ignore: FileIgnore) -> types.WorkspaceEdit | None:
    """Add a table to a settings file, which is created if it is not there and the client can do that."""
    buffer = ls.files.buffers.get(path)
    uri = ls.files.uri(path)
    if buffer is None:
        try:
            present: str | None = read_bytes(path, MAX_SETTINGS).decode()
        except FileNotFoundError:
            present = None
        except (OSError, ValueError):
            return None
    else:
        present = buffer.text
    insertion = add_ignores(path, present or "", [ignore])
    if insertion is None:
        return None
    if present is None:
        return _create(ls, uri, insertion.text)
    positions = Positions(LineIndex(present), ls.files.encoding)
    return types.WorkspaceEdit(changes={uri: [_insertion(insertion, positions)]})


def _create(ls: Server, uri: str, text: str) -> types.WorkspaceEdit | None:
    workspace = ls.client_capabilities.workspace
    able = workspace.workspace_edit if workspace is not None else None
    if able is None or not able.document_changes:
        return None
    if types.ResourceOperationKind.Create not in (able.resource_operations or ()):
        return None
    start = types.Position(0, 0)
    edits: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
        types.TextEdit(types.Range(start, start), text)
    ]
    created = types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True))
    filled = types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri), edits)
    return types.WorkspaceEdit(document_changes=[created, filled])


def _safe_fixes(diagnostics: Iterable[Diagnostic]) -> list[AppliedFix]:
    """The safe fixes that can be applied together: of those whose edits meet, the first one."""
    chosen: list[AppliedFix] = []
    taken: list[tuple[str, Span]] = []
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None or not fix.safe or fix in chosen:
            continue
        spans = [(edit.location.path, edit.location.span) for edit in fix.edits]
        if not any(_meet(one, other) for one in spans for other in taken):
            chosen.append(fix)
            taken.extend(spans)
    return chosen


def _meet(one: tuple[str, Span], other: tuple[str, Span]) -> bool:
    return one[0] == other[0] and one[1].start <= other[1].end and other[1].start <= one[1].end
