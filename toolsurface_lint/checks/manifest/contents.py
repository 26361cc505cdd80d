"""Tools and files that a manifest names, against those that there are."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import MANIFEST, check
from toolsurface_lint.model.diagnostics import INFO, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.manifest import Manifest
from toolsurface_lint.model.names import close_names, suggestion
from toolsurface_lint.model.surface import Surface

UNKNOWN_TOOL = Rule(
    code="MANIFEST_UNKNOWN_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="A manifest lists a tool that its server does not serve.",
    message="the manifest lists the tool `{name}`, which its server does not serve",
    tags=("manifests",),
    fix=UNSAFE,
)

TOOL_NOT_LISTED = Rule(
    code="MANIFEST_TOOL_NOT_LISTED",
    since="0.1.0",
    severity=INFO,
    summary="A manifest leaves out a tool that its server serves.",
    message="the manifest does not list the tool `{name}`, which its server serves",
    help="list it, or set `tools_generated` to true",
    tags=("manifests",),
)

PATH_MISSING = Rule(
    code="MANIFEST_PATH_MISSING",
    since="0.1.0",
    severity=WARNING,
    summary="A manifest names a file or folder that is not there.",
    message="the manifest names `{name}`, which is not there",
    tags=("manifests",),
)


@check(MANIFEST, UNKNOWN_TOOL, TOOL_NOT_LISTED)
def check_tools(manifest: Manifest, surface: Surface) -> Iterator[Finding]:
    if manifest.tools is None or surface.servers is None:
        return
    served = surface.servers.started_by(manifest.origin, manifest.programs, manifest.package)
    if not served:
        return
    listed = {str(node.value) for node in manifest.names}
    meant: set[str] = set()
    for node in manifest.names:
        name = str(node.value)
        # What is made as the server runs may be listed as well.
        if name in served or manifest.generated:
            continue
        near = close_names(name, served.keys() - listed)
        meant.update(near)
        related = [(f"`{near[0]}` is declared here", served[near[0]].name_place)] if near else []
        yield UNKNOWN_TOOL.at(
            node.place,
            tool=name,
            field="tools",
            related=related,
            help=suggestion(near),
            fix=renaming(node.place, name, near),
        )
    if not listed or manifest.generated:
        return
    for name in sorted(served.keys() - listed - meant):
        related = [(f"`{name}` is declared here", served[name].name_place)]
        yield TOOL_NOT_LISTED.at(manifest.tools.key_place, tool=name, field="tools", related=related)


@check(MANIFEST, PATH_MISSING)
def check_paths(manifest: Manifest, surface: Surface) -> Iterator[Finding]:
    lacking = surface.project_files.lacking(manifest.origin, [path for named in manifest.paths for path in named.paths])
    for named in manifest.paths:
        if lacking.issuperset(named.paths) and surface.project_files.has_folder(manifest.origin, named.beside):
            yield PATH_MISSING.at(named.place, field=named.field, name=named.text)
