"""Templates of prompts in the `{{ }}` language: what a file holds, and what a model reads of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.protocols.includes import IncludeGraph, Includes, Missing, literal_path
from toolsurface_lint.protocols.rendering import Origin
from toolsurface_lint.protocols.templates import Include, Template, TemplateError
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place, Tree


class TemplateFiles(Includes):
    """The files that templates include. This one knows of none: plain data lies nowhere."""

    def name(self, origin: str) -> str:
        """The `name` of the template in a file, which is given as it is displayed."""
        return origin

    def node(self, template: Template) -> Node | None:
        """The text of an included template, in its file."""
        return None

    def display(self, template: Template) -> str:
        """The path of an included template, as it is shown."""
        return template.name


class PromptTemplate:
    """One template: a whole file.

    `parsed` is None where the text is not a template, and `error` then says why. `render` gives the prompts of a template.
    """

    def __init__(
        self,
        tree: Tree,
        parsed: Template | None,
        error: TemplateError | None,
        render: Callable[[PromptTemplate], Sequence[Prompt]],
    ) -> None:
        self.tree = tree
        self.origin = tree.origin
        self.parsed = parsed
        self.error = error
        self.files = TemplateFiles()
        self.is_cut = False
        """Whether it includes more than is rendered."""
        self._graph: IncludeGraph | None = None
        self._render = render
        self._prompts: Sequence[Prompt] | None = None

    @property
    def node(self) -> Node:
        return self.tree.root

    @property
    def prompts(self) -> Sequence[Prompt]:
        """The texts that it renders to, each once; their places are those in the template, or in what it includes."""
        if self._prompts is None:
            self._prompts = self._render(self)
        return self._prompts

    @property
    def graph(self) -> IncludeGraph | None:
        """What it includes; None if it does not parse."""
        if self._graph is None and self.parsed is not None:
            self._graph = IncludeGraph(self.parsed, self.files)
        return self._graph

    @property
    def not_followed(self) -> list[tuple[str, Span]]:
        """Its includes that are not looked into although something may be there: why, and where."""
        if self.parsed is None or self.graph is None:
            return []
        found = [
            ("an include with a computed path", node.directive.span)
            for node in self.parsed.walk()
            if isinstance(node, Include) and literal_path(node) is None
        ]
        found.extend(
            ("an include that may lie outside the project", edge.node.directive.span)
            for edge in self.graph.edges
            if edge.outer is self.parsed and edge.inner == Missing("")
        )
        # Another process may have rendered it.
        if self.graph.edges and self.prompts and self.is_cut:
            found.append(("more included text than is rendered", Span(0, 0)))
        return found

    def link(self, files: TemplateFiles) -> None:
        """Its includes lead to these files."""
        self.files = files
        if self.parsed is not None:
            self.parsed.name = files.name(self.origin)
        self._graph = None
        if self.graph is not None and self.graph.edges:
            self._prompts = None

    def place(self, span: Span) -> Place:
        """The place of a span of the template's text."""
        return self.node.text_place(span.start, span.end)

    def node_of(self, template: Template) -> Node:
        """The text of this template, or of one that it includes."""
        node = None if template is self.parsed else self.files.node(template)
        return node or self.node

    def place_of(self, origin: Origin) -> Place:
        """The place of what rendered text comes from."""
        return self.node_of(origin.template).text_place(*origin.span)
