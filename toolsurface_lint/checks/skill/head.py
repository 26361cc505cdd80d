"""The name and the description of a skill, by which clients find it, against the format of skills."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import CLIENT_FILE, check
from toolsurface_lint.knowledge.clients import SKILL
from toolsurface_lint.knowledge.skills import LONGEST_DESCRIPTION, LONGEST_NAME
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.diagnostics import INFO, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.surface import Surface

NAME_INVALID = Rule(
    code="SKILL_NAME_INVALID",
    since="0.1.0",
    severity=INFO,
    summary="The name of a skill is not its folder's, or not of the form that the format of skills asks for.",
    message={
        "characters": "the name `{name}` must be lowercase letters and digits, with single hyphens between them",
        "folder": "the skill is named `{name}`, and its folder `{folder}`",
        "long": "the name of the skill has {length} characters, more than {most}",
    },
    help={"folder": "give both one name"},
    tags=("skills",),
    fix=UNSAFE,
)

DESCRIPTION_INVALID = Rule(
    code="SKILL_DESCRIPTION_INVALID",
    since="0.1.0",
    severity=WARNING,
    summary="A skill has no description, or one that is too long.",
    message={
        "empty": "the description of the skill is empty",
        "long": "the description of the skill has {length} characters, more than {most}",
        "missing": "the skill has no description, by which a client knows when to use it",
    },
    tags=("skills",),
)


@check(CLIENT_FILE, NAME_INVALID, DESCRIPTION_INVALID)
def check_skill(file: ClientFile, surface: Surface) -> Iterator[Finding]:
    # What has no front matter at all may be for anything.
    if file.kind != SKILL or file.head is None:
        return
    yield from _check_name(file, surface)
    yield from _check_description(file)


def _check_name(file: ClientFile, surface: Surface) -> Iterator[Finding]:
    node = file.text("name")
    # Templates of skills have `{{ name }}`, or `<name>`.
    if node is None or not node.value.strip() or "{" in node.value or "<" in node.value:
        return
    name: str = node.value
    if not _is_name(name):
        yield NAME_INVALID.at(node.place, "characters", field="name", name=name)
        return
    if len(name) > LONGEST_NAME:
        yield NAME_INVALID.at(node.place, "long", field="name", length=len(name), most=LONGEST_NAME)
    folder = surface.project_files.folder_name(file.origin)
    if folder is not None and folder != name:
        fix = renaming(node.place, name, [folder] if _is_name(folder) else [])
        yield NAME_INVALID.at(node.place, "folder", field="name", name=name, folder=folder, fix=fix)


def _is_name(name: str) -> bool:
    return name == name.lower() and all(part.isalnum() for part in name.split("-"))


def _check_description(file: ClientFile) -> Iterator[Finding]:
    assert file.head is not None
    node = file.head.get("description")
    if node is None:
        yield DESCRIPTION_INVALID.at(file.head.place, "missing", field="description")
    elif node.value is None or (isinstance(node.value, str) and not node.value.strip()):
        yield DESCRIPTION_INVALID.at(node.key_place, "empty", field="description")
    elif isinstance(node.value, str) and len(node.value) > LONGEST_DESCRIPTION:
        length = len(node.value)
        yield DESCRIPTION_INVALID.at(
            node.key_place, "long", field="description", length=length, most=LONGEST_DESCRIPTION
        )
