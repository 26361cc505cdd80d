"""What runs on GitHub: what it is pinned to, which Pythons it covers, and the script of a release."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.files import needs
from toolsurface_lint import __version__

REPOSITORY = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((REPOSITORY / ".github/workflows").glob("*.yml"))
SHOWN = [REPOSITORY / "README.md", REPOSITORY / "docs/ci.md"]
"""Pages with workflows for others to copy."""


def workflow(name: str) -> dict[str, Any]:
    return yaml.safe_load((REPOSITORY / f".github/workflows/{name}.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", [*WORKFLOWS, REPOSITORY / "action.yml"], ids=lambda file: file.name)
def test_every_action_is_pinned_by_a_commit_and_names_its_version(file: Path) -> None:
    used = re.findall(r"^\s*(?:- )?uses: (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_every_hook_of_our_own_is_pinned_by_a_commit() -> None:
    text = (REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    revisions = re.findall(r"^    rev: (.*)$", text, re.MULTILINE)
    assert len(revisions) == text.count("repo: https://")
    assert [one for one in revisions if not re.fullmatch(r"[0-9a-f]{40} # frozen: v[\d.]+", one)] == []


def test_one_action_has_one_version_in_all_workflows() -> None:
    files = [*WORKFLOWS, REPOSITORY / "action.yml", *SHOWN]
    used = {one for file in files for one in re.findall(r"uses: (\S+)@(\S+)", file.read_text(encoding="utf-8"))}
    assert len({action for action, _ in used}) == len(used)


def test_workflows_are_checked_in_the_same_way_before_a_commit() -> None:
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    (entry,) = (hook["entry"] for hook in hooks if hook["id"] == "zizmor")
    assert entry in (REPOSITORY / ".ci/run").read_text(encoding="utf-8").split("\n")


def test_the_workflows_that_pages_show_are_as_good_as_our_own(tmp_path: Path) -> None:
    zizmor = needs("zizmor")
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    for page in SHOWN:
        blocks = re.findall(r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        workflows = [block for block in blocks if "\njobs:\n" in block]
        assert workflows
        for number, text in enumerate(workflows):
            (folder / f"{page.stem}-{number}.yml").write_text(text, encoding="utf-8")
            # The commit of a release is not known before it is made.
            assert text.count("zizmor: ignore") == len(re.findall("uses: toolsurface-lint/toolsurface-lint@v", text))
    command = [zizmor, "--offline", "--persona=pedantic", "--format=plain", "--color=never", "--quiet", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.partition(".")[0]) == (0, "No findings to report")


def test_nothing_unpinned_is_installed_where_a_release_is_built() -> None:
    jobs = workflow("release")["jobs"]
    commands = [command for step in jobs["build"]["steps"] for command in step.get("run", "").split("\n")]
    installing = [command for command in commands if "install" in command]
    assert installing
    assert [command for command in installing if "--require-hashes" not in command] == []
    assert "try" in jobs["publish"]["needs"]


def test_every_supported_python_is_tested() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert project["requires-python"] == f">={named[0]}"
    jobs = workflow("ci")["jobs"]
    assert {tuple(job["strategy"]["matrix"]["python"]) for job in jobs.values()} == {tuple(named)}


def test_what_can_be_pinned_is_watched() -> None:
    updates = yaml.safe_load((REPOSITORY / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    assert {update["package-ecosystem"] for update in updates} == {"github-actions", "pip", "pre-commit"}
    assert all(update["cooldown"]["default-days"] >= 7 for update in updates)
    (python,) = (update for update in updates if update["package-ecosystem"] == "pip")
    requirements = {file.parent for file in REPOSITORY.glob("*requirements.txt")} | {
        file.parent for file in (REPOSITORY / ".ci").glob("*requirements.txt")
    }
    assert {REPOSITORY / folder.strip("/") for folder in python["directories"]} == requirements


def test_every_owned_path_is_there() -> None:
    lines = (REPOSITORY / ".github/CODEOWNERS").read_text(encoding="utf-8").split("\n")
    patterns = [line.split()[0] for line in lines if line and not line.startswith("#")]
    assert [pattern for pattern in patterns if not list(REPOSITORY.glob(pattern.strip("/")))] == []


@pytest.fixture
def notes(tmp_path: Path):
    """Runs the script of the notes beside a changelog."""
    needs("bash")
    (tmp_path / ".ci").mkdir()
    (tmp_path / "toolsurface_lint").mkdir()
    shutil.copy(REPOSITORY / ".ci/release-notes", tmp_path / ".ci")
    shutil.copy(REPOSITORY / "toolsurface_lint/__init__.py", tmp_path / "toolsurface_lint")

    def run(changelog: str, tag: str = f"v{__version__}") -> subprocess.CompletedProcess[str]:
        (tmp_path / "CHANGELOG.md").write_text(changelog, encoding="utf-8", newline="")
        command = ["bash", str(tmp_path / ".ci/release-notes"), tag]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    return run


def test_the_notes_of_a_release_are_its_section(notes) -> None:
    text = f"# Changes\n\n## {__version__} (2030-01-31)\n\nFirst.\n\n- One.\n\n## 0.0.1\n\n- Older.\n"
    done = notes(text)
    assert (done.returncode, done.stdout.rstrip("\n"), done.stderr) == (0, "First.\n\n- One.", "")
    done = notes(f"# Changes\n\n## {__version__}\n\n- Last.\n")
    assert (done.returncode, done.stdout.rstrip("\n"), done.stderr) == (0, "- Last.", "")


@pytest.mark.parametrize(
    ("changelog", "tag", "said"),
    [
        (f"## {__version__}\n\n- One.\n", "v0.0.1", f"the tag is v0.0.1, the version {__version__}"),
        (f"## {__version__}\n\n- One.\n", __version__, f"the tag is {__version__}, the version {__version__}"),
        (f"## {__version__}0\n\n- One.\n", f"v{__version__}", f"CHANGELOG.md has no section for {__version__}"),
        (f"## {__version__} (unreleased)\n\n- One.\n", f"v{__version__}", f"CHANGELOG.md calls {__version__} unreleased"),
        (f"## {__version__}\n\n## 0.0.1\n\n- Older.\n", f"v{__version__}", f"CHANGELOG.md says nothing about {__version__}"),
    ],
)  # fmt: skip
def test_a_release_that_is_not_ready_is_refused(notes, changelog: str, tag: str, said: str) -> None:
    done = notes(changelog, tag)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{said}\n")
