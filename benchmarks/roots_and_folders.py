"""Where the tools that `check` finds at the root of a checkout differ from those that it finds in a folder of it.

    python benchmarks/roots_and_folders.py CHECKOUT... [--linter ROOT] [--depth N]

For each CHECKOUT the linter describes the surfaces of the whole, and then of every folder, down to N levels (2 if nothing is
said), in which the whole has tools, or a file that looks as if it had any. For each folder in which the two differ it prints
how many tools each found, and those which only one did, with the file that they are in. What a folder meets outside of
itself does not count. Differences in which files meet show as files without tools on one side; of tools that code
registers, one side may also have followed more of the code, as the reasons for which surfaces are open say.

    --linter ROOT   the linter of another commit, or of the checkout in another folder
    --depth N       how many levels of folders to look at
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from compare_commits import checkout

REPOSITORY = Path(__file__).resolve().parents[1]
SHOWN = 12
TOOL_FILES = (".json", ".jsonl", ".yaml", ".yml", ".toml", ".py")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs="+")
    parser.add_argument("--linter", default=str(REPOSITORY))
    parser.add_argument("--depth", type=int, default=2)
    options = parser.parse_args(arguments)
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        root = checkout(options.linter, Path(folder))
        for path in options.checkouts:
            differing += compare(root, path.resolve(), options.depth)
    print(f"folders that differ: {differing}")
    return 0


def compare(root: Path, path: Path, depth: int) -> int:
    """Print how the folders of a checkout differ from the whole; how many do."""
    whole = tools(root, path, ".")
    print(f"{path.name}: {whole.total()} tools", flush=True)
    differing = 0
    for folder in folders(path, depth):
        prefix = folder + "/"
        expected = Counter({tool: count for tool, count in whole.items() if tool[0].startswith(prefix)})
        found = tools(root, path, folder)
        found = Counter({tool: count for tool, count in found.items() if tool[0].startswith(prefix)})
        if found == expected:
            continue
        differing += 1
        print(f"  {folder}: {expected.total()} tools at the root, {found.total()} in the folder")
        for title, only in (("only at the root", expected - found), ("only in the folder", found - expected)):
            by_file: defaultdict[str, list[str]] = defaultdict(list)
            for file, name in sorted(only.elements()):
                by_file[file].append(name)
            for file, names in list(by_file.items())[:SHOWN]:
                print(f"    {title}: {file}: {', '.join(names[:SHOWN])}")
            if len(by_file) > SHOWN:
                print(f"    {title}: and {len(by_file) - SHOWN} more files")
    return differing


def folders(path: Path, depth: int) -> list[str]:
    """The folders down to a depth that hold files in which tools may be defined, relative to the checkout."""
    found: set[str] = set()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=path, capture_output=True, check=True).stdout
    for name in os.fsdecode(listed).split("\0"):
        if name.lower().endswith(TOOL_FILES):
            parts = name.split("/")[:-1]
            found.update("/".join(parts[:level]) for level in range(1, min(depth, len(parts)) + 1))
    return sorted(found)


def tools(root: Path, path: Path, folder: str) -> Counter[tuple[str, str]]:
    """The tools of all surfaces, each once, as the file that declares it and its name."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    # `-P`: nothing is imported from the folder that is looked at.
    words = [sys.executable, "-P", "-m", "toolsurface_lint", "surface", folder, "--output", "json"]
    done = subprocess.run(words, cwd=path, env=environment, capture_output=True, check=False)
    try:
        described = json.loads(done.stdout)
    except ValueError:
        error = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        print(f"  {folder}: no description ({error})")
        return Counter()
    places = {
        (tool["path"], tool["line"], tool["column"], tool["name"])
        for surface in described["surfaces"]
        for tool in surface["tools"]
    }
    return Counter((file, name) for file, _, _, name in places)


if __name__ == "__main__":
    raise SystemExit(main())
