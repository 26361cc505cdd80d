"""Servers of models: how they are started, the options that this linter reads, and the names of their parsers.

The parsers of tool calls are in `protocols.outputs`. Sources: vLLM 0.33.0, `vllm/entrypoints/common/cli_args.py` and
`vllm/reasoning/__init__.py`; SGLang 0.5.10.post1 and its main branch of 2026-11, `srt/server_args.py` and
`srt/parser/reasoning_parser.py`; llama.cpp as in llama-cpp-python 0.3.36, `common/arg.cpp`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from toolsurface_lint.knowledge import words


class Engine(NamedTuple):
    """One server.

    `program` is the name of its program, `follows` the word that must come after it, `modules` are those that `python -m` runs,
    `image` matches the name of a container's image that has it. `model` are its options for the model, `template` those for a
    chat template. `newest` is the newest version of which the parsers are known. `removed` are parsers that it does not have any
    more, each with the first version that is known not to have it; `reasoning` are its parsers of reasoning, `no_reasoning`
    former ones.
    """

    title: str
    program: str
    follows: str
    modules: frozenset[str]
    image: re.Pattern[str]
    model: tuple[str, ...]
    template: tuple[str, ...]
    newest: tuple[int, ...]
    reasoning: frozenset[str]
    removed: dict[str, tuple[int, ...]]
    no_reasoning: frozenset[str] = frozenset()


ENGINES = {
    "vllm": Engine(
        "vLLM",
        "vllm",
        "serve",
        words("vllm.entrypoints.openai.api_server vllm.entrypoints.api_server"),
        re.compile(r"(?:\A|[/-])vllm(?:[-/:@]|\Z)"),
        ("model",),
        ("chat-template",),
        (0, 33),
        words(
            "beam cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41 ernie45 gemma4 glm45 glm47 "
            "granite granite_thinking_parser hf holo2 hunyuan_a13b hy_v3 hy_v4 inkling k2_horizon kimi_k2 kimi_k3 ling3 mimo "
            "minicpmv minimax_m2 minimax_m2_append_think minimax_m3 mistral muse muse_glimmer musespark1x nemotron_v3 olmo3 "
            "openai_gptoss plamo3 poolside_v1 qwen3 seed_oss step3 step3p5 step5"
        ),
        {"minimax": (0, 33)},
        words("identity solar_open2"),
    ),
    "sglang": Engine(
        "SGLang",
        "sglang",
        "serve",
        words("sglang.launch_server"),
        re.compile(r"(?:\A|[/-])sglang(?:[-/:@]|\Z)"),
        ("model-path", "model"),
        ("chat-template",),
        (0, 5, 10),
        words(
            "apertus2509 cohere_command4 deepseek-r1 deepseek-v3 deepseek-v4 gemma4 glm45 gpt-oss hunyuan inkling interns1 kimi "
            "kimi_k2 kimi_k3 mimo minimax minimax-append-think minimax-m3 mistral nemotron_3 poolside_v1 qwen3 qwen3-thinking "
            "step3 step3p5 telechat4"
        ),
        {},
        words("nano_v3 olmo3"),
    ),
    "llama.cpp": Engine(
        "llama.cpp",
        "llama-server",
        "",
        frozenset(),
        re.compile(r"(?:\A|/)llama\.cpp:(?:[\w.-]*server|full)"),
        ("model", "hf-repo"),
        ("chat-template-file",),
        (),
        frozenset(),
        {},
    ),
}

SHORT_OPTIONS = {"-m": "model", "-hf": "hf-repo", "-hfr": "hf-repo"}
"""Options of llama.cpp in their short form that are read."""

READ_OPTIONS = words(
    "tool-call-parser tool-parser-plugin enable-auto-tool-choice no-enable-auto-tool-choice reasoning-parser "
    "reasoning-parser-plugin chat-template chat-template-file jinja no-jinja model model-path hf-repo config"
)
SWITCHES = words("enable-auto-tool-choice no-enable-auto-tool-choice jinja no-jinja")
"""Those of the options that take no value."""
VALUED_OPTIONS = words(
    "host port tensor-parallel-size tp tp-size pipeline-parallel-size pp pp-size data-parallel-size dp dp-size max-model-len "
    "gpu-memory-utilization served-model-name api-key dtype max-num-seqs max-num-batched-tokens quantization download-dir "
    "mem-fraction-static context-length kv-cache-dtype revision tokenizer seed"
)
"""Others that take exactly one value: what follows them is not an option, whatever it is when the command runs."""
