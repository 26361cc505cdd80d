"""The names of engines' tool-call parsers whose formats are not read here, so that unknown names are told apart."""

from __future__ import annotations

from collections.abc import Mapping

OTHER_PARSERS: Mapping[str, tuple[str, ...]] = {
    # vLLM 0.33.0, vllm/tool_parsers/__init__.py
    "vllm": ("beam", "hf", "inkling", "minimax_m3", "muse", "muse_glimmer", "musespark1x"),
    # llama.cpp, common/parsers, of llama-cpp-python 0.3.36
    "llama.cpp": ("functionary-v3-2", "minimax-m3", "muse-glimmer"),
}
