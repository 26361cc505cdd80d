"""Which chat templates the servers of a project are given, where these are files of the project."""

from __future__ import annotations

import os

from toolsurface_lint.knowledge.serving_engines import ENGINES
from toolsurface_lint.model.chat_template import ChatTemplate
from toolsurface_lint.model.serving import Launch
from toolsurface_lint.project.discovery.paths import with_parents
from toolsurface_lint.project.project import Project


def give_templates(project: Project) -> None:
    """Put next to each launch the template that it names."""
    templates = {
        os.path.normpath(project.absolute(document)): document.chat_templates[0]
        for document in project.documents
        if len(document.chat_templates) == 1
    }
    for document in project.documents:
        for launch in document.launches:
            launch.template = _find(launch, project.absolute(document), project, templates)


def _find(launch: Launch, path: str, project: Project, templates: dict[str, ChatTemplate]) -> ChatTemplate | None:
    """The template that a launch in the file at an absolute path names.

    A command is run from the folder of its file, or from one above. The path may be that in a container: then it is the file of
    that name beside the one that holds the command.
    """
    named = launch.last(*ENGINES[launch.engine].template)
    if named is None or named.value is None or not templates or "\0" in named.value:
        return None
    folder = os.path.dirname(path)
    boundary = project.boundary(folder) or folder
    for parent in with_parents(folder):
        found = templates.get(os.path.normpath(os.path.join(parent, named.value)))
        if found is not None or parent == boundary:
            break
    return found or templates.get(os.path.join(folder, os.path.basename(named.value)))
