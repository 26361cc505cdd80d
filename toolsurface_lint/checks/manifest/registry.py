"""The packages that a `server.json` names, against those of the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import MANIFEST, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming, rewriting
from toolsurface_lint.model.files import Package
from toolsurface_lint.model.manifest import Manifest, PublishedPackage
from toolsurface_lint.model.names import close_names, suggestion
from toolsurface_lint.model.surface import Surface

PACKAGE_MISMATCH = Rule(
    code="MANIFEST_PACKAGE_MISMATCH",
    since="0.1.0",
    severity=WARNING,
    summary="A `server.json` names another package, or another version of it, than the repository has.",
    message={
        "name": "the package `{name}` is called `{own}` in `{path}`",
        "no_server": "the registry expects `{server}` as the `mcpName` of `{path}`, which has none",
        "server": "the registry expects `{server}` as the `mcpName` of `{path}`, not `{own}`",
        "version": "the version of the package is `{name}`, and `{own}` in `{path}`",
    },
    tags=("manifests",),
    fix=UNSAFE,
)

_RELEASE = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,3}")
_NO_RELEASE = re.compile(r"0(?:\.0)*")
_SEPARATORS = re.compile(r"[-_.]+")


@check(MANIFEST, PACKAGE_MISMATCH)
def check_packages(manifest: Manifest, surface: Surface) -> Iterator[Finding]:
    files = surface.project_files
    for index, published in enumerate(manifest.published):
        package = files.package(manifest.origin, published.registry, published.folder)
        if package is None:
            continue
        field = f"packages[{index}]"
        if not _is_same(published, package):
            near = close_names(_own(published.identifier.value), (_own(package.name),))
            if near:
                yield PACKAGE_MISMATCH.at(
                    published.identifier.place,
                    "name",
                    field=f"{field}.identifier",
                    name=published.identifier.value,
                    own=package.name,
                    path=package.path,
                    help=suggestion((package.name,)),
                    fix=renaming(published.identifier.place, published.identifier.value, (package.name,)),
                )
            continue
        yield from _check_server(manifest, published, package, field)
        yield from _check_version(manifest, published, package, surface, field)


def _check_server(manifest: Manifest, published: PublishedPackage, package: Package, field: str) -> Iterator[Finding]:
    """The registry believes of an npm package that it is a server's only if it says so itself."""
    name = manifest.node.string("name")
    if published.registry != "npm" or name is None or package.server == name.value or "${" in name.value:
        return
    kind = "server" if package.server else "no_server"
    yield PACKAGE_MISMATCH.at(
        published.identifier.place,
        kind,
        field=f"{field}.identifier",
        server=name.value,
        own=package.server,
        path=package.path,
    )


def _check_version(
    manifest: Manifest, published: PublishedPackage, package: Package, surface: Surface, field: str
) -> Iterator[Finding]:
    version = published.version
    if version is None or version.value == package.version:
        return
    if not _is_release(version.value) or not _is_release(package.version):
        return
    # What writes the version as the server is released leaves an old one behind.
    if surface.project_files.is_rewritten(manifest.origin):
        return
    yield PACKAGE_MISMATCH.at(
        version.place,
        "version",
        field=f"{field}.version",
        name=version.value,
        own=package.version,
        path=package.path,
        help=f"write `{package.version}`",
        fix=rewriting(version.place, package.version),
    )


def _is_same(published: PublishedPackage, package: Package) -> bool:
    if published.registry != "pypi":
        return bool(published.identifier.value == package.name)
    names = (_SEPARATORS.sub("-", name).lower() for name in (published.identifier.value, package.name))
    return next(names) == next(names)


def _own(name: str) -> str:
    """The name of a package without its scope."""
    return name.rpartition("/")[2]


def _is_release(version: str) -> bool:
    """Whether a version is one of a release; that of a package in the making comes before the one to be published."""
    return _RELEASE.fullmatch(version) is not None and _NO_RELEASE.fullmatch(version) is None
