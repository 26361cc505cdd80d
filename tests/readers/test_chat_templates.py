"""Which files hold chat templates, where their characters are written, and what is known of their tokens."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.chat_template import ChatTemplate, Tokens
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.project.grouping import load_project
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.readers.chat_templates import is_chat_template, tokens_of, variant_of
from toolsurface_lint.source.gguf import read_metadata
from toolsurface_lint.source.text import Span, Unreadable

CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.jinja", CHAT, True),
        ("a.jinja", "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}", True),
        (
            "a.jinja",
            "{% for m in messages %}{% if m['role'] == 'user' %}[INST]{{ m.content }}{% endif %}{% endfor %}",
            True,
        ),
        ("chat_template.jinja", "{% for m in messages %}{{ m.content }}{% endfor %}", True),
        ("a/additional_chat_templates/rag.jinja", "{% set m = messages[0] %}{{ m.content }}", True),
        # Pages, settings and programs that are generated.
        ("chat.jinja", "{% for m in messages %}<p class='{{ m.role }}'>{{ m.content }}</p>{% endfor %}", False),
        (
            "chat.jinja",
            "{% for m in messages %}{% if m.role == 'user' %}<div>{{ m.content }}</div>{% endif %}{% endfor %}",
            False,
        ),
        ("a.j2", "{% with messages = get_flashed_messages() %}{{ messages }}{% endwith %}", False),
        ("a.j2", "{% if x %}tokenizer.apply_chat_template(messages, add_generation_prompt=True){% endif %}", False),
        ("a.j2", "{% for host in hosts %}{{ host.name }}{% endfor %}", False),
        ("summary.jinja", "Sum up:\n{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}", False),
        ("chat_template.jinja", "messages {{ a }}", False),
        ("a.jinja", "{% {{ messages bos_token", False),
    ],
)
def test_what_is_a_chat_template(path: str, text: str, expected: bool) -> None:
    assert is_chat_template(path, text) is expected


def test_variants_are_named_by_their_files() -> None:
    assert variant_of("model/additional_chat_templates/tool_use.jinja") == "tool_use"
    assert variant_of("model/chat_template.jinja") == "default"


def templates_in(folder: Path) -> list[ChatTemplate]:
    project = load_project([str(folder)], load_settings([str(folder)], None, False))
    return [template for document in project.documents for template in document.chat_templates]


def test_found_in_a_folder(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model/chat_template.jinja").write_text(CHAT, encoding="utf-8")
    (tmp_path / "nginx.conf.j2").write_text("{% for a in b %}{{ a }}{% endfor %}", encoding="utf-8")
    report = check(tmp_path, ".")
    assert report.summary["chat_templates"] == 1
    assert report.summary["prompts"] == 0
    assert [skipped.path for skipped in report.skipped] == ["nginx.conf.j2"]


@pytest.mark.parametrize(
    ("held", "names"),
    [
        (CHAT, ["default"]),
        ([{"name": "default", "template": CHAT}, {"name": "rag", "template": CHAT}], ["default", "rag"]),
        ({"default": CHAT, "tool_use": CHAT}, ["default", "tool_use"]),
        ([{"name": "default"}, 3, {"template": 4}], []),
        ("", []),
    ],
)
def test_read_from_a_tokenizer_configuration(held: Any, names: list[str], tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": held}), encoding="utf-8")
    assert [template.name for template in templates_in(tmp_path)] == names


def test_places_go_through_escapes(tmp_path: Path) -> None:
    text = json.dumps({"chat_template": 'a\n"é"\U0001f600' + CHAT})
    (tmp_path / "tokenizer_config.json").write_text(text, encoding="utf-8")
    (template,) = templates_in(tmp_path)
    start = template.text.index("messages")
    span = template.place(Span(start, start + len("messages"))).span()
    assert span is not None
    assert text[span.start : span.end] == "messages"
    emoji = template.place(Span(5, 6)).span()
    assert emoji is not None
    assert text[emoji.start : emoji.end] == "\\ud83d\\ude00"


def test_a_kind_can_be_given(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "chat.jinja").write_text("{{ x }}", encoding="utf-8")
    report = check(tmp_path, "chat.jinja", kind="chat-template")
    assert report.summary["chat_templates"] == 1


# --- tokens ---------------------------------------------------------------------------------------------------------


def test_tokens_of_the_files_of_a_tokenizer() -> None:
    configuration = {
        "bos_token": {"content": "<s>", "lstrip": False},
        "eos_token": None,
        "added_tokens_decoder": {"7": {"content": "<|im_end|>"}},
        "extra_special_tokens": {"image_token": "<image>"},
    }
    assert tokens_of(configuration, {"eos_token": "<|im_end|>", "bos_token": "<other>"}) == Tokens(
        {"bos_token": "<s>", "image_token": "<image>", "eos_token": "<|im_end|>"},
        frozenset(("<s>", "<image>", "<|im_end|>", "<other>")),
    )
    assert tokens_of({"bos_token": "<s>"}) == Tokens({"bos_token": "<s>"}, None)
    assert tokens_of(None, 3, [], {}) == Tokens({}, frozenset())
    assert tokens_of({"<a>": 1, "<b>": 2}).added == {"<a>", "<b>"}


def test_tokens_lie_beside_a_template(tmp_path: Path) -> None:
    (tmp_path / "additional_chat_templates").mkdir()
    for name in ("chat_template.jinja", "additional_chat_templates/rag.jinja"):
        (tmp_path / name).write_text(CHAT, encoding="utf-8")
    (tmp_path / "special_tokens_map.json").write_text('{"bos_token": "<s>"}', encoding="utf-8")
    (tmp_path / "tokenizer.json").write_text(
        '{"added_tokens": [{"id": 1, "content": "<|user|>"}], "model": {"vocab": {"a' + "b" * 2_000_000,
        encoding="utf-8",
    )
    (tmp_path / "added_tokens.json").write_text("{not json", encoding="utf-8")
    assert [(template.name, template.tokens) for template in templates_in(tmp_path)] == [
        (name, Tokens({"bos_token": "<s>"}, frozenset(("<s>", "<|user|>")))) for name in ("rag", "default")
    ]


def test_numbers_that_python_does_not_convert_do_not_hide_what_is_beside_a_template(tmp_path: Path) -> None:
    number = "9" * 5000
    (tmp_path / "chat_template.jinja").write_text(CHAT, encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(
        f'{{"model_max_length": {number}, "bos_token": "<s>", "response_template": {{"version": 1}}}}', encoding="utf-8"
    )
    (tmp_path / "tokenizer.json").write_text(
        f'{{"added_tokens": [{{"id": {number}, "content": "<|user|>"}}]}}', encoding="utf-8"
    )
    [template] = templates_in(tmp_path)
    assert template.tokens == Tokens({"bos_token": "<s>"}, frozenset(("<s>", "<|user|>")))
    assert template.response is not None
    assert template.response.value == {"version": 1}


def test_time_grows_with_the_tokens_that_are_not_the_tokenizers(tmp_path: Path, check: Callable[..., Report]) -> None:
    def seconds(count: int) -> float:
        unknown = "".join(f"<|unknown_{number:05}|>" for number in range(count))
        (tmp_path / "chat_template.jinja").write_text(CHAT + unknown, encoding="utf-8")
        added = {f"<|reserved_{number:05}|>": number for number in range(count)}
        (tmp_path / "added_tokens.json").write_text(json.dumps(added), encoding="utf-8")
        start = time.process_time()
        check(tmp_path, select=["CHAT_TEMPLATE_TOKEN_AS_TEXT"])
        return time.process_time() - start

    assert seconds(4000) < 24 * max(min(seconds(500) for _ in range(3)), 0.02)


# --- GGUF -----------------------------------------------------------------------------------------------------------

KINDS = {int: (5, "i"), float: (12, "d"), bool: (7, "?")}


def written(metadata: dict[str, Any], order: str = "<", version: int = 3) -> bytes:
    """The beginning of a GGUF file with some metadata."""

    def text(value: str) -> bytes:
        data = value.encode()
        return struct.pack(order + "Q", len(data)) + data

    def scalar(value: Any) -> bytes:
        return text(value) if isinstance(value, str) else struct.pack(order + KINDS[type(value)][1], value)

    def kind(value: Any) -> int:
        return 8 if isinstance(value, str) else KINDS[type(value)][0]

    data = b"GGUF" + struct.pack(order + "IQQ", version, 2, len(metadata))
    for key, value in metadata.items():
        data += text(key)
        if isinstance(value, list):
            data += struct.pack(order + "IIQ", 9, kind(value[0]) if value else 8, len(value))
            data += b"".join(map(scalar, value))
        else:
            data += struct.pack(order + "I", kind(value)) + scalar(value)
    return data


VALUES = st.one_of(
    st.text(max_size=9),
    st.integers(-(2**31), 2**31 - 1),
    st.booleans(),
    st.lists(st.text(max_size=5), max_size=6),
    st.lists(st.integers(-(2**31), 2**31 - 1), max_size=6),
)


@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=6), st.sampled_from("<>"), st.data())
def test_metadata_come_back(metadata: dict[str, Any], order: str, data: st.DataObject) -> None:
    import tempfile

    wanted = data.draw(st.sets(st.sampled_from(sorted(metadata)))) if metadata else set()
    content = written(metadata, order)
    with tempfile.NamedTemporaryFile() as file:
        file.write(content + b"tensors")
        file.flush()
        assert read_metadata(file.name, wanted.__contains__, 1 << 20) == {
            key: metadata[key] for key in metadata if key in wanted
        }
        if metadata:
            file.truncate(data.draw(st.integers(0, len(content) - 1)))
            with pytest.raises(Unreadable):
                read_metadata(file.name, wanted.__contains__, 1 << 20)


def test_texts_are_passed_piece_by_piece(tmp_path: Path) -> None:
    """More than is read at a time, with texts across its end."""
    tokens = ["t" * (index * 977 % 40_000) for index in range(150)]
    (tmp_path / "a.gguf").write_bytes(written({"tokens": tokens, "after": "x"}))
    path = str(tmp_path / "a.gguf")
    assert read_metadata(path, {"after"}.__contains__, 1 << 30) == {"after": "x"}
    assert read_metadata(path, {"tokens"}.__contains__, 1 << 30) == {"tokens": tokens}
    with pytest.raises(Unreadable) as raised:
        read_metadata(path, {"after"}.__contains__, 1 << 20)
    assert raised.value.problem.kind == "unreadable/gguf_large"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"GGUF", "gguf_cut_off"),
        (b"PK\3\4 not a model at all", "gguf_magic"),
        (written({}, version=1), "gguf_version"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**64 - 1), "gguf_cut_off"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**63), "gguf_cut_off"),
        (b"GGUF" + struct.pack("<IQQQIIQ", 3, 0, 1, 0, 9, 8, 2**64 - 1), "gguf_cut_off"),
        (b"GGUF" + struct.pack("<IQQQIIQ", 3, 0, 1, 0, 9, 12, 2**64 - 1), "gguf_cut_off"),
        (b"GGUF" + struct.pack("<IQQQIIQ", 3, 0, 1, 0, 9, 9, 1), "gguf_type"),
        (b"GGUF" + struct.pack("<IQQQI", 3, 0, 1, 0, 99), "gguf_type"),
    ],
)
def test_hostile_metadata(content: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(content)
    with pytest.raises(Unreadable) as raised:
        read_metadata(str(tmp_path / "a.gguf"), bool, 1 << 26)
    assert raised.value.problem.kind == f"unreadable/{kind}"


def test_templates_of_a_gguf_file(tmp_path: Path, check: Callable[..., Report]) -> None:
    metadata = {
        "tokenizer.ggml.tokens": ["<s>", "a", "</s>", "<|user|>"],
        "tokenizer.ggml.token_type": [3, 1, 3, 4],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 99,
        "tokenizer.chat_template.rag": CHAT,
        "tokenizer.chat_template": CHAT,
    }
    (tmp_path / "model.gguf").write_bytes(written(metadata) + bytes(1 << 20))
    assert [(template.name, template.key, template.tokens) for template in templates_in(tmp_path)] == [
        (name, key, Tokens({"bos_token": "<s>"}, frozenset(("<s>", "</s>", "<|user|>"))))
        for name, key in (("rag", "tokenizer.chat_template.rag"), ("default", "tokenizer.chat_template"))
    ]
    place = templates_in(tmp_path)[0].place(Span(3, 9))
    assert place.span() == Span(0, 0)
    assert place.path == ("tokenizer.chat_template.rag",)
    assert check(tmp_path, ".").summary["chat_templates"] == 2


def test_other_gguf_files_are_counted(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "vocabulary.gguf").write_bytes(written({"general.name": "x"}))
    (tmp_path / "other.gguf").write_bytes(b"\0\1\2 not one")
    (tmp_path / "pointer.gguf").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    (tmp_path / "cut.gguf").write_bytes(written({"tokenizer.chat_template": CHAT})[:60])
    report = check(tmp_path, ".")
    assert {skipped.path: skipped.reason for skipped in report.skipped} == {
        "vocabulary.gguf": "GGUF without a chat template",
        "other.gguf": "not recognised: not a GGUF file",
        "pointer.gguf": "kept by Git LFS, and not fetched",
    }
    assert [(found.code, found.message) for found in report.diagnostics] == [
        ("INPUT_UNREADABLE", "the file has 60 bytes, fewer than its metadata")
    ]
