"""What the site needs beyond `mkdocs.yml`: pages that lie outside of docs/, and links that work on GitHub and on the site."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    **{
        f"{folder}/{file.name}": f"{folder}/{file.name}"
        for folder in ("rules", "pictures")
        for file in (ROOT / folder).iterdir()
    },
}
"""Files of the repository, and where they are on the site."""

FENCE = r"^ *(?P<fence>`{3,}).*?^ *(?P=fence)$"
LINK = re.compile(rf"{FENCE}|\]\((?P<target>[^)#:\s]*)(?P<anchor>#[^)\s]*)?\)", re.MULTILINE | re.DOTALL)
TITLED = re.compile(r"^(`{3,}\w+) (?:path=(\S+)|(output)|run)$", re.MULTILINE)


def on_config(config: Any) -> None:
    """List the pages of the rules in the navigation, in the groups of their overview."""
    overview = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    (rules,) = (entry["Rules"] for entry in config.nav if "Rules" in entry)
    for group in overview.split("\n## ")[1:]:
        codes = re.findall(r"\]\(\.\./(rules/\w+\.md)\)", group)
        rules.append({group.split("\n")[0]: [{Path(code).stem: code} for code in codes]})


def on_files(files: Files, config: Any) -> None:
    for path, place in OUTSIDE.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links to files of the repository to their pages, or else to the repository; show paths above examples."""
    here = Path(page.file.abs_src_path).relative_to(ROOT).parent.as_posix()

    def pointed(match: re.Match[str]) -> str:
        target = match["target"]
        if not target:
            return match[0]
        path = posixpath.normpath(posixpath.join(here, target))
        place = OUTSIDE.get(path, path.removeprefix("docs/"))
        if files.get_file_from_path(place) is None:
            target = f"{config.repo_url}/blob/main/{path}"
        else:
            target = posixpath.relpath(place, posixpath.dirname(page.file.src_uri))
        return f"]({target}{match['anchor'] or ''})"

    return TITLED.sub(titled, LINK.sub(pointed, markdown))


def titled(fence: re.Match[str]) -> str:
    title = fence[2] or fence[3]
    return f'{fence[1]} title="{title}"' if title else fence[1]
