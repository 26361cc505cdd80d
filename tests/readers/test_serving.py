"""Commands that start servers of models: which are seen, with which options, and where each stands."""

from __future__ import annotations

import gc
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.serving import Launch, Option
from toolsurface_lint.project.discovery.names import candidate_kind
from toolsurface_lint.readers.loading import load_document
from toolsurface_lint.readers.serving.launches import image_of
from toolsurface_lint.readers.serving.shell import commands
from toolsurface_lint.source.text import GAP

PARSER = "tool-call-parser"


def read(text: str, name: str = "serve.sh") -> Document:
    language = candidate_kind(name)
    assert language is not None
    kind = None if language == "yaml" else "serving"
    return load_document(name, name, language, kind=kind, max_size=1 << 24, data=text.encode())


def launch(text: str, name: str = "serve.sh") -> Launch:
    (found,) = read(text, name).launches
    return found


def written(text: str, option: Option | None) -> str:
    """What stands in the file where an option has its value."""
    assert option is not None
    span = option.place.span()
    assert span is not None
    return text[span.start : span.end]


@pytest.mark.parametrize(
    ("command", "engine", "model"),
    [
        ("vllm serve org/m", "vllm", "org/m"),
        ("CUDA_VISIBLE_DEVICES=0 /opt/bin/vllm serve 'org/m'", "vllm", "org/m"),
        ("uv run vllm serve --model org/m", "vllm", "org/m"),
        ("python3 -m vllm.entrypoints.openai.api_server --model=org/m", "vllm", "org/m"),
        ("docker run --gpus all -p 8000:8000 vllm/vllm-openai:v0.9.1 --model org/m", "vllm", "org/m"),
        ("docker run image bash -c 'cd /srv && vllm serve org/m --tool-call-parser hermes'; :", "vllm", "org/m"),
        ("python -m sglang.launch_server --model-path org/m", "sglang", "org/m"),
        ("sglang serve --model-path org/m", "sglang", "org/m"),
        ("(cd /srv; nohup vllm serve org/m", "vllm", "org/m"),
        ("vllm serve $MODEL", "vllm", None),
        ("vllm serve {{ model }}", "vllm", None),
        ("vllm serve <model> \\\n ", "vllm", None),
        ("vllm serve <org>/<your model> \\\n ", "vllm", None),
    ],
)
def test_what_starts_a_server(command: str, engine: str, model: str | None) -> None:
    found = launch(f"#!/bin/sh\n{command} --tool-call-parser hermes > log.txt 2>&1 &\n")
    assert found.engine == engine
    assert (found.model.value if found.model is not None else None) == model
    assert [option.value for option in found.given(PARSER)] == ["hermes"]


@pytest.mark.parametrize(
    "text",
    [
        "python -m parcels.server --tool-call-parser hermes",
        "# vllm serve org/m --tool-call-parser hermes",
        "vllm bench serve --tool-call-parser hermes",
        "uv run vllm-parcels serve org/m --enable-auto-tool-choice --tool-call-parser parcels",
        "grep -- --tool-call-parser serve.sh",
        "vllm serve org/m --port 8000  # not --tool-call-parser",
    ],
)
def test_what_starts_none(text: str) -> None:
    document = read(text)
    assert document.launches == []
    assert document.kinds == []


@pytest.mark.parametrize(
    ("script", "values", "sure"),
    [
        ("P=hermes\nvllm serve m --tool-call-parser $P", ["hermes"], True),
        ("export P='hermes'\nvllm serve m --tool-call-parser=\"${P}\"", ["hermes"], True),
        ("vllm serve m --tool-call-parser ${P:-hermes}", ["hermes"], True),
        ('A=(--x 1 # one\n --tool-call-parser hermes)\nvllm serve m "${A[@]}"', ["hermes"], True),
        ('A=(vllm serve m)\nA+=(--tool-call-parser hermes)\n"${A[@]}"', ["hermes"], True),
        ('A="--tool-call-parser hermes"\nB="$A --port 1"\nvllm serve m $B', ["hermes"], True),
        ('C="vllm serve m --tool-call-parser hermes"\necho "$C"\neval "$C"', ["hermes"], True),
        ("if x; then\nP=hermes\nelse\nP=mistral\nfi\nvllm serve m --tool-call-parser $P", ["mistral"], False),
        ("f() {\n  P=hermes\n}\nvllm serve m --tool-call-parser $P", ["hermes"], False),
        ('vllm serve m --tool-call-parser "$P"', [None], True),
        ("vllm serve m --tool-call-parser $(cat parser)", [None], True),
        ("P=$1\nvllm serve m --tool-call-parser $P", [None], True),
    ],
)
def test_variables(script: str, values: list[str | None], sure: bool) -> None:
    found = launch(script)
    options = list(found.given(PARSER))
    assert [option.value for option in options] == values
    assert all(option.sure is sure for option in options)
    if values[0] is not None:
        assert written(script, options[0]) == values[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("serve.sh", "bash -c 'cd /srv; exec vllm serve \"$@\"' -- --model org/m --tool-call-parser hermes\n"),
        (
            "a.yaml",
            """
image: x
entrypoint: [bash, -ec, 'vllm serve "$@"', sh]
command: [--model, org/m, --tool-call-parser, hermes]
""",
        ),
        (
            "Dockerfile",
            'CMD ["sh", "-c", "vllm serve $0 $@", "org/m", "--tool-call-parser", "hermes", "--model", "org/m"]\n',
        ),
    ],
)
def test_words_behind_a_script_are_given_to_it(name: str, text: str) -> None:
    found = launch(text, name)
    assert found.open
    assert written(text, found.last(PARSER)) == "hermes"
    assert written(text, found.model) == "org/m"


@pytest.mark.parametrize("script", ["vllm serve m", "vllm serve m --port $PORT"])
def test_a_script_that_takes_no_words_is_given_none(script: str) -> None:
    assert read(f"bash -c '{script}' -- --tool-call-parser hermes\n").launches == []


@pytest.mark.parametrize(
    ("rest", "opens"),
    [
        ("", False),
        ("--port $PORT", False),
        ('--port "$PORT" --host $HOST', False),
        ("$ARGS", True),
        ('"$@"', True),
        ('"${ARGS[@]}"', True),
        ("${ARGS[@]}", True),
        ("--trust-remote-code $ARGS", True),
        ("--config serve.yaml", True),
        ('"$EXTRA"', False),
        ("--port <port>", False),
        ("<more options>", True),
    ],
)
def test_what_may_have_more_options(rest: str, opens: bool) -> None:
    assert launch(f"vllm serve m --tool-call-parser hermes {rest}\n").open is opens


YAML = """\
services:
  a:
    image: vllm/vllm-openai:v0.10.2
    command: ["--model", "org/m", "--tool-call-parser", "her\\u006des"]
"""


def test_a_value_in_escapes_is_pointed_at_as_it_is_written() -> None:
    found = launch(YAML, "compose.yaml")
    option = found.last(PARSER)
    assert option is not None
    assert option.value == "hermes"
    assert written(YAML, option) == "her\\u006des"
    assert found.version == (0, 10, 2)
    assert found.complete


@pytest.mark.parametrize(
    ("name", "text", "complete"),
    [
        ("a.yaml", "run: |\n  vllm serve m \\\n    --tool-call-parser hermes\n", True),
        ("a.yaml", "command: >\n  vllm serve m\n  --tool-call-parser hermes\nimage: x\n", True),
        ("a.yaml", "image: vllm/vllm-openai\nargs: [--model, m, --tool-call-parser, hermes]\n", True),
        ("a.yaml", "image: x\ncommand: [sh, -c]\nargs:\n  - vllm serve m --tool-call-parser hermes\n", True),
        ("a.yaml", "args: [--enable-auto-tool-choice, --tool-call-parser, hermes]\n", False),
        ("a.yaml", "args: ['--enable-auto-tool-choice --tool-call-parser hermes']\n", False),
        ("a.yaml", "model: m\nenable-auto-tool-choice: true\ntool-call-parser: hermes\n", False),
        ("a.yaml", "repository: vllm/vllm-openai\nvllmConfig: {toolCallParser: hermes}\n", False),
        ("Dockerfile", 'FROM vllm/vllm-openai:v0.9.0\nCMD ["--model", "m", "--tool-call-parser", "hermes"]\n', True),
        ("Dockerfile", 'FROM x\nENTRYPOINT ["vllm", "serve"]\nCMD ["m", "--tool-call-parser", "hermes"]\n', True),
        ("gpu.Dockerfile", "FROM x\nCMD vllm serve m \\\n  --tool-call-parser hermes\n", True),
        ("m.service", "[Service]\nDescription=It's m\nExecStart=vllm serve m --tool-call-parser hermes\n", True),
        ("m.container", "[Container]\nImage=vllm/vllm-openai\nExec=--model m --tool-call-parser hermes\n", True),
        ("m.service", "[Service]\nExecStart=-/opt/bin/vllm serve m --tool-call-parser hermes\n", True),
        ("Makefile", "serve:\n\t@vllm serve $(MODEL) --tool-call-parser hermes\n", True),
        ("justfile", "serve:\n  vllm serve {{model}} --tool-call-parser hermes\n", True),
        ("page.md", "It's here:\n\n```bash\n$ vllm serve m --tool-call-parser hermes\n```\n", True),
    ],
)
def test_where_commands_are_written(name: str, text: str, complete: bool) -> None:
    found = launch(text, name)
    assert found.engine == "vllm"
    assert found.complete is complete
    assert written(text, found.last(PARSER)) == "hermes"


def test_a_container_may_begin_with_a_short_option() -> None:
    image = "[Container]\nImage=ghcr.io/ggml-org/llama.cpp:server\n"
    found = launch(image + "Exec=-hf org/m --chat-template-file m.jinja\n", "m.container")
    assert found.model is not None
    assert found.model.value == "org/m"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "args: [--tool-call-parser, hermes]\n"),
        ("a.yaml", "tool-call-parser: hermes\n"),
        ("page.md", "Run `vllm serve m --tool-call-parser hermes`.\n"),
        ("page.md", '```python\nrun("vllm serve m --tool-call-parser hermes")\n```\n'),
    ],
)
def test_what_is_not_a_command_of_a_known_server(name: str, text: str) -> None:
    assert read(text, name).launches == []


@pytest.mark.parametrize(
    ("image", "engine", "version"),
    [
        ("vllm/vllm-openai:v0.10.2", "vllm", (0, 10, 2)),
        ("vllm/vllm-openai:latest", "vllm", None),
        ("registry.example.com/team/vllm:7.1", "vllm", None),
        ("lmsysorg/sglang:v0.5.3", "sglang", None),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", "llama.cpp", None),
        ("example/parcels:1", None, None),
    ],
)
def test_images(image: str, engine: str | None, version: tuple[int, ...] | None) -> None:
    found = image_of(image)
    assert (found.engine, found.version) == (engine, version)


@pytest.mark.parametrize(
    ("item", "opens"),
    [
        ("8000", False),
        ("null", False),
        ("0x" + "f" * 5_000, False),
        ("[--enable-auto-tool-choice]", True),
        ("{a: b}", True),
    ],
)
def test_what_is_not_text_in_a_list_is_not_known(item: str, opens: bool) -> None:
    found = launch(f"image: vllm/vllm-openai\nargs: [--tool-call-parser, hermes, --other, {item}]\n", "a.yaml")
    assert found.model is None
    assert found.open is opens
    value = launch(f"image: vllm/vllm-openai\nargs: [--tool-call-parser, {item}]\n", "a.yaml").last(PARSER)
    assert value is not None
    assert value.value is None


@pytest.mark.parametrize("items", ["{}", "[{}]"])
def test_a_long_text_with_many_aliases_takes_no_memory(items: str) -> None:
    aliases = items.format(", ".join(["*long"] * 45))
    text = f"long: &long {'x' * 20_000}\nimage: vllm/vllm-openai\nargs: [--tool-call-parser, hermes, {aliases}]\n"
    launch(text, "a.yaml")
    tracemalloc.start()
    try:
        launch(text, "a.yaml")
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


WORDS = st.lists(st.text("ab-_=.é😀/", min_size=1, max_size=6), min_size=1, max_size=6)


@given(WORDS, st.sampled_from(["{}", "'{}'", '"{}"']), st.sampled_from([" ", "  \t", " \\\n  ", " \\\r\n"]))
def test_words_stand_where_their_offsets_say(words: list[str], quotes: str, space: str) -> None:
    text = "run " + space.join(quotes.format(word) for word in words)
    (command,) = commands(text)
    assert [part.text for part in command] == ["run", *words]
    for part in command:
        start, end = part.word.span(0, len(part.text))
        assert text[start:end] == part.text


@given(st.text("ab $'\"`\\{}()[]<>|&;#=\n@*-:", max_size=60))
def test_any_text_is_read(text: str) -> None:
    for command in commands(text):
        for part in command:
            assert len(part.word.offsets) == len(part.text) + 1
            start, end = part.word.span(0, len(part.text))
            assert 0 <= start <= end <= len(text)


HOSTILE = {
    "doubling variables": lambda size: "A=xy\n" + "A=$A$A\n" * size + "vllm serve $A --tool-call-parser $A",
    "uses of a long list": lambda size: f"A=({'x ' * 500})\n" + "vllm serve m ${A[@]} --tool-call-parser x\n" * size,
    "open substitutions": lambda size: "vllm serve --tool-call-parser " + "$(" * size,
    "open braces": lambda size: "vllm serve --tool-call-parser " + "${a" * size,
    "apostrophes": lambda size: "vllm serve --tool-call-parser " + "' \" " * size,
    "nested commands": lambda size: "vllm serve --tool-call-parser x " + '"vllm serve ' * size,
    "additions": lambda size: "vllm serve --tool-call-parser x\n" + "A+=(y)\n" * size,
    "left out": lambda size: (
        "A=(" + "x " * 2000 + ")\nif y; then\n" + "A=()\n" * size + "vllm serve --tool-call-parser x\n"
    ),
    "substitutions closed late": lambda size: "vllm serve --tool-call-parser " + "$(" * size + ")" * size,
    "lists": lambda size: "CMD [ --tool-call-parser \\\n" * size,
    "templates": lambda size: "{{ --tool-call-parser " * size,
    "fences": lambda size: "--tool-call-parser\n" + "```\n~~~\n" * size,
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("name", ["serve.sh", "Dockerfile", "page.md", "m.service"])
def test_hostile_texts_take_time_in_proportion(case: str, name: str) -> None:
    times = []
    # A collection would look through what other tests have left in memory.
    gc.disable()
    for size in (1_000, 4_000):
        text = HOSTILE[case](size)
        start = time.process_time()
        read(text, name)
        times.append(time.process_time() - start)
    gc.enable()
    assert times[1] < 0.6 or times[1] < times[0] * 9, times


def test_a_text_with_a_gap_is_no_value() -> None:
    assert launch("vllm serve m --tool-call-parser 'a" + GAP + "'").last(PARSER) is not None
    assert launch("vllm serve m --tool-call-parser 'a" + GAP + "'").last(PARSER).value is None  # type: ignore[union-attr]


def test_scripts_without_options_are_not_read(tmp_path: Path) -> None:
    from toolsurface_lint import check_paths

    (tmp_path / "other.sh").write_text("echo {\n", encoding="utf-8")
    (tmp_path / "serve.sh").write_text("vllm serve m --tool-call-parser hermess\n", encoding="utf-8")
    report = check_paths([str(tmp_path)])
    assert report.summary["files"] == 1
    assert report.summary["server_commands"] == 1
    assert report.skipped == ()
