"""The names of engines' tool-call parsers whose formats are not read here, so that unknown names are told apart."""

from __future__ import annotations

from collections.abc import Mapping

OTHER_PARSERS: Mapping[str, tuple[str, ...]] = {
    # vLLM 0.33.0, vllm/tool_parsers/__init__.py
    "vllm": ("beam", "hf", "inkling", "minimax_m3", "muse", "muse_glimmer", "musespark1x"),
    # SGLang, main branch of 2026-11, srt/function_call/function_call_parser.py
    "sglang": (
        *(
            "apertus2509",
            "cohere_command4",
            "deepseekv4",
            "dots",
            "gemma4",
            "gigachat35",
            "hunyuan",
            "inkling",
            "k2_horizon",
        ),
        *("kimi_k3", "ling3", "minicpm5", "minimax-m3", "muse", "poolside_v1", "spark25"),
    ),
    # llama.cpp, common/parsers, of llama-cpp-python 0.3.36
    "llama.cpp": ("functionary-v3-2", "minimax-m3", "muse-glimmer"),
}
