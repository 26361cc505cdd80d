"""How many stale tool names in prompts are found: rename one declared tool, and look for a finding at each place.

    python benchmarks/mutation_recall.py --tools TOOLS.json [--tools ...] PROMPT...
    python benchmarks/mutation_recall.py --derive PROMPT...

PROMPT is a file or a folder of markdown. With `--derive` the surface is made of the names that the prompts of a folder
plainly use as tools. Each tool that a prompt names is renamed in four ways: a new word, another case, another
separator, one letter. Settings name the tools and the prompts, unless `--inferred` is given: then a prompt that names
no other declared tool says too little, and its stale name stays silent on purpose.

With `--form`, what the prompts write as code is written in another way first: `bare`, `bold`, `pascal` (bare, and both
the prompts and the tools in PascalCase) or `listed` (a list of all the tools that a prompt names follows it). Then each
tool is also dropped from its list, and the plain uses are counted as `form`: `use X`, `call X`, `then X`, `the X tool`,
`the X function` and the entries of lists.

The places are found by patterns of this script, which share nothing with the linter: strong ones (a call, `the X
tool`, `use X`, an entry of a list of tools, `functions.X`, `mcp__S__X`) must be found after every change, other
code-formatted ones after all but the first. A finding that is at no place of the renamed tool, and was not there
before, is counted as stray.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolsurface_lint.api import check_paths
from toolsurface_lint.readers.loading import load_document

FENCES = re.compile(r"\A---$.*?^---$|^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
AGAINST = re.compile(
    r"\b(?:no|not|never|avoid|without|legacy|instead of|rather than|don't)(?: [a-z]+){0,3} [`*]*\Z|\bif the [`*]*\Z",
    re.IGNORECASE,
)
CHANGES = ("word", "case", "separator", "letter")
FORMS = ("bare", "bold", "pascal", "listed")
SHORT = 5
SETTINGS = '[[surface]]\nname = "agent"\ntools = ["tools.json"]\nprompts = ["prompts/*.md"]\n'


def places(text: str, name: str) -> tuple[set[int], set[int]]:
    """The offsets at which a text names a tool with strong evidence, and those at which it is only written as code."""
    shown = FENCES.sub(lambda fence: " " * len(fence[0]), text)
    word = re.escape(name)
    coded = rf"(?:`{word}`|\*\*{word}\*\*)"
    quoted = rf"(?:'{word}'|\"{word}\")"
    strong = [
        rf"(?<![\w.`/-]){word}\((?=[{{\"']|[A-Za-z_]\w*\s*[:=])",
        rf"`{word}\((?=[{{\"']|[A-Za-z_]\w*\s*[:=])",
        rf"\b[Tt]he (?:{coded}|{quoted}) tool\b",
        rf"\b(?:[Uu]s(?:e|es|ing)|[Cc]all(?:s|ing)?|[Ii]nvok(?:e|es|ing)|[Rr]un(?:s|ning)?)(?: the)? {coded}",
        rf"\bfunctions\.{word}\b",
        rf"\bmcp__\w+?__{word}\b",
    ]
    found: set[int] = set()
    for pattern in strong:
        for match in re.finditer(pattern, shown):
            at = shown.index(name, match.start())
            if not AGAINST.search(shown[max(at - 60, 0) : at]):
                found.add(at)
    for section in re.finditer(r"^(#+) (?:available )?tools\s*$(.*?)(?=^#|\Z)", shown, re.I | re.M | re.S):
        for match in re.finditer(rf"^(?:[-*+] |\d+[.)] ){coded}", section[2], re.M):
            found.add(section.start(2) + match.start() + match[0].index(name))
    code = {match.start() + 1 for match in re.finditer(rf"`{word}`", shown)} - found
    return found, {at for at in code if not AGAINST.search(shown[max(at - 60, 0) : at])}


def form_places(text: str, name: str) -> set[int]:
    """The offsets at which a text plainly uses a tool of several words, however it is set off; a single one is prose."""
    if not re.search(r"[a-z][A-Z]|[a-z0-9][_-]", name):
        return set()
    shown = FENCES.sub(lambda fence: " " * len(fence[0]), text)
    word = rf"(?:\*\*)?(?<![\w.`/-]){re.escape(name)}(?![\w`/(-])(?:\*\*)?"
    verbs = "[Uu]s(?:e|ing)|[Cc]all(?:ing)?|[Ii]nvok(?:e|ing)|[Tt]hen|[Ff]irst|[Pp]refer|[Vv]ia"
    patterns = [
        rf"\b[Tt]he {word} (?:tool|function)\b",
        rf"\b(?:{verbs})(?: the)? {word}(?= (?:to|for)\b|[.,]?\s)",
        rf"^(?:[-*+] |\d+[.)] )\*\*{re.escape(name)}\*\*(?= [-:]|:)",
    ]
    found = {shown.index(name, match.start()) for pattern in patterns for match in re.finditer(pattern, shown, re.M)}
    return {at for at in found if not AGAINST.search(shown[max(at - 60, 0) : at])}


def pascal(name: str) -> str:
    return "".join(map(str.capitalize, re.split("[_-]", name)))


def formed(text: str, names: list[str], form: str) -> str:
    """A prompt with its tools written in another form."""
    marks = {"bold": ("**", "**")}.get(form, ("", ""))
    for name in sorted(names, key=len, reverse=True):
        new = pascal(name) if form == "pascal" else name
        text = re.sub(rf"`{re.escape(name)}`", lambda _, new=new: f"{marks[0]}{new}{marks[1]}", text)
        if form == "pascal":
            text = re.sub(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", new, text)
    if form == "listed":
        entries = (f"- **{name}** - what it does\n" for name in names if name in text)
        text += "\n\n" + "".join(entries)
    return text


def changed(name: str, change: str, names: set[str]) -> str | None:
    """A tool's new name; None where there is none of that kind."""
    if change in ("word", "drop"):
        new = "quux_" + "".join(reversed(name.replace("_", "")))
    elif change == "case":
        if name[0].isupper():
            return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        new = name.swapcase() if name.islower() and "_" not in name else "".join(map(str.capitalize, name.split("_")))
        if "_" in name:
            new = new[0].lower() + new[1:]
    elif change == "separator":
        new = name.replace("_", "-") if "_" in name else name.replace("-", "_")
    else:
        middle = len(name) // 2
        new = name[:middle] + ("x" if name[middle] != "x" else "y") + name[middle + 1 :]
    return None if new == name or new in names else new


def spans(tools: list[Any], prompt: str, folder: Path, inferred: bool) -> Counter[tuple[int, int, str]]:
    """Where the prompt rules report anything. `inferred`: without the settings that say what belongs together."""
    settings = str(folder / "toolsurface.toml")
    Path(settings).write_text(SETTINGS, encoding="utf-8")
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (folder / "prompts").mkdir(exist_ok=True)
    (folder / "prompts" / "system.md").write_text(prompt, encoding="utf-8", newline="")
    report = check_paths([str(folder)], isolated=True) if inferred else check_paths([str(folder)], config=settings)
    return Counter(
        (diagnostic.location.span.start, diagnostic.location.span.end, diagnostic.code)
        for diagnostic in report.diagnostics
        if diagnostic.location is not None and diagnostic.location.path.endswith("system.md")
    )


def measure(
    tools: list[dict[str, Any]], prompts: list[Path], counts: Counter[str], options: argparse.Namespace
) -> None:
    spelled = {tool["name"] for tool in tools}
    if options.form == "pascal":
        tools = [{**tool, "name": pascal(tool["name"])} for tool in tools]
    names = {tool["name"] for tool in tools}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for path in prompts:
            text = path.read_text(encoding="utf-8", errors="replace")
            if options.form:
                text = formed(text, sorted(spelled), options.form)
            named = {name: places(text, name) for name in names}
            forms = {name: form_places(text, name) if options.form else set() for name in names}
            if not any(strong for strong, _ in named.values()) and not any(forms.values()):
                continue
            counts["prompts"] += 1
            before = spans(tools, text, folder, options.inferred)
            for name, (strong, coded) in sorted(named.items()):
                if not strong and not coded and not forms[name]:
                    continue
                for change in (*CHANGES, "drop") if options.form else CHANGES:
                    new = changed(name, change, names)
                    if new is None:
                        continue
                    renamed = [{**tool, "name": new} if tool["name"] == name else tool for tool in tools]
                    if change == "drop":
                        renamed = [tool for tool in tools if tool["name"] != name]
                    found = spans(renamed, text, folder, options.inferred)
                    starts = {start for start, _, _ in found}
                    size = "short " if len(name) < SHORT else ""
                    wanted = [("strong", strong), ("form", forms[name])]
                    if change not in ("word", "drop"):
                        wanted.append(("coded", coded))
                    for kind, offsets in wanted:
                        counts[f"{size}{kind}"] += len(offsets)
                        counts[f"{size}{kind} found"] += len(offsets & starts)
                        for at in sorted(offsets - starts) if options.verbose else ():
                            line = text.count("\n", 0, at) + 1
                            print(f"missed {size}{kind} {change} {path}:{line} ...{text[max(at - 50, 0) : at + 40]!r}")
                    for start, end, code in found - before:
                        if name not in text[start:end] and text[start:end] not in name:
                            counts["stray"] += 1
                            if options.verbose:
                                print(f"stray {code} {path} {text[start:end]!r} when {name} became {new}")


def derived(prompts: list[Path]) -> list[dict[str, Any]]:
    """A surface of the names that prompts plainly use as tools."""
    names: Counter[str] = Counter()
    for path in prompts:
        text = FENCES.sub("", path.read_text(encoding="utf-8", errors="replace"))
        names.update(re.findall(r"\b[Tt]he `([a-z][a-z0-9]*(?:[_-][a-z0-9]+)*)` tool\b", text))
        names.update(re.findall(r"\b(?:[Uu]s(?:e|ing)|[Cc]all) `([a-z]+(?:_[a-z]+)+)` to\b", text))
    schema = {"type": "object", "properties": {}}
    return [{"name": name, "description": f"{name}.", "inputSchema": schema} for name in sorted(names)]


def listed(paths: list[str]) -> list[dict[str, Any]]:
    """The tools of files in any format that the linter reads, with the schemas that it found."""
    tools: dict[str, dict[str, Any]] = {}
    for path in paths:
        document = load_document(os.path.abspath(path), path, "json", kind=None, max_size=1 << 26)
        for tool in (tool for tools_of_list in document.tool_lists for tool in tools_of_list):
            schema = tool.schema
            tools[tool.name] = {
                "name": tool.name,
                "description": "A tool.",
                "inputSchema": {} if schema is None else schema.value,
            }
    return list(tools.values())


def markdown(paths: list[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        yield from sorted(path.rglob("*.md")) if path.is_dir() else [path]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prompts", nargs="+")
    parser.add_argument("--tools", action="append", default=[])
    parser.add_argument("--derive", action="store_true")
    parser.add_argument("--form", choices=FORMS)
    parser.add_argument("--inferred", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if bool(options.tools) == options.derive:
        parser.error("give either --tools or --derive")
    prompts = list(markdown(options.prompts))
    tools = derived(prompts) if options.derive else listed(options.tools)
    counts: Counter[str] = Counter()
    measure(tools, prompts, counts, options)
    print(f"{len(tools)} tools, {counts['prompts']} prompts that name them with strong evidence")
    kinds = ("form", "short form") if options.form else ("strong", "coded", "short strong", "short coded")
    for kind in kinds:
        total, found = counts[kind], counts[f"{kind} found"]
        share = f"{100 * found / total:.1f} %" if total else "-"
        print(f"{kind:14}{found:7} of {total:6}  {share}")
    print(f"stray findings {counts['stray']:6}")


if __name__ == "__main__":
    sys.exit(main())
