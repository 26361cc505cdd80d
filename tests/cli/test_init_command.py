"""`toolsurface-lint init`: a settings file that means what was found."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from tests.files import write_files

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/surfaces"


def test_an_agent_is_named_with_its_files(run, folder):
    done = run("init")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "toolsurface-lint: wrote toolsurface.toml\n")
    settings = tomllib.loads((folder / "toolsurface.toml").read_text(encoding="utf-8"))
    assert settings == {
        "fail-on": "error",
        "exclude": [],
        "ignore": [],
        "severity": {},
        "surface": [{"name": "default", "tools": ["tools.json"], "prompts": ["system.md"]}],
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["release-bot", "support-desk", "two-servers"])
def test_the_settings_mean_what_was_found(run, folder, name):
    shutil.copytree(FIXTURES / name, folder / "agent")
    (folder / "agent/toolsurface.toml").unlink(missing_ok=True)

    def surfaces():
        found = json.loads(run("surface", ".", "--output", "json", cwd="agent").stdout)["surfaces"]
        return [
            (
                sorted(tool["name"] for tool in surface["tools"]),
                *(sorted(item["path"] for item in surface[key]) for key in ("policies", "prompts")),
            )
            for surface in found
        ]

    before = surfaces()
    assert run("init", "agent").returncode == 0
    assert surfaces() == before


def test_many_files_of_a_kind_become_a_glob(run, folder):
    (folder / "prompts").mkdir()
    for name in ("a", "b", "c"):
        (folder / f"prompts/{name}.md").write_text("Call read_file({}).\n", encoding="utf-8")
    run("init")
    (surface,) = tomllib.loads((folder / "toolsurface.toml").read_text(encoding="utf-8"))["surface"]
    assert surface["prompts"] == ["prompts/*.md", "system.md"]


def test_no_glob_makes_a_prompt_of_a_readme(run, folder):
    write_files(folder, {f"prompts/{name}.md": "Call read_file({}).\n" for name in ("a", "b", "README")})
    run("init")
    (surface,) = tomllib.loads((folder / "toolsurface.toml").read_text(encoding="utf-8"))["surface"]
    assert surface["prompts"] == ["prompts/a.md", "prompts/b.md", "system.md"]


def test_a_name_with_the_signs_of_globs_is_meant_literally(run, folder):
    (folder / "tools.json").rename(folder / "tools[1]*.json")
    run("init")
    (surface,) = tomllib.loads((folder / "toolsurface.toml").read_text(encoding="utf-8"))["surface"]
    assert surface["tools"] == ["tools[[]1][*].json"]
    tools = json.loads(run("surface", "--output", "json").stdout)["surfaces"][0]["tools"]
    assert [tool["name"] for tool in tools] == ["read_file"]


def test_nothing_to_name_leaves_an_example_in_comments(run, folder):
    (folder / "empty").mkdir()
    assert run("init", "empty").returncode == 0
    text = (folder / "empty/toolsurface.toml").read_text(encoding="utf-8")
    assert '\n# [[surface]]\n# name = "agent"\n' in text
    assert "surface" not in tomllib.loads(text)
    example = "\n".join(
        line.removeprefix("# ") for line in text.split("\n") if line.startswith(("# [[", "# name", "# t"))
    )
    assert tomllib.loads(example)["surface"][0]["name"] == "agent"


@pytest.mark.parametrize(
    ("name", "text"), [("toolsurface.toml", ""), ("pyproject.toml", "[tool.toolsurface-lint]\nignore = []\n")]
)
def test_settings_that_are_there_are_not_changed(run, folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    done = run("init")
    assert (done.returncode, done.stderr) == (2, f"toolsurface-lint: {name} has settings already\n")
    assert (folder / name).read_text(encoding="utf-8") == text


def test_no_such_folder(run):
    done = run("init", "nothing")
    assert (done.returncode, done.stderr) == (2, "toolsurface-lint: nothing: no such folder\n")
