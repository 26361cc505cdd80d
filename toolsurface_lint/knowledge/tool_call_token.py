"""Models whose tokenizer has `<tool_call>` as one reserved token, by provider.

Source of every row: the capability matrix of the Harn reference runtime (burin-labs/harn, late 0.8 releases), rows with
`reserved_tool_call_token = true`. Related rows without that flag (ollama `qwen3*`, mlx `*qwen3*`, the Qwen rows of
dashscope, fireworks, huggingface, together) are left out on purpose: there the token is not known to collide.
"""

RESERVING_MODELS: dict[str, tuple[str, ...]] = {
    "ollama": ("qwen3.6*",),
    "llamacpp": ("*qwen3.6*", "*qwen3*"),
    "mlx": ("*qwen3.6*",),
    "openrouter": ("qwen/qwen3-coder-plus", "qwen/qwen3-coder-flash", "qwen/qwen3-coder*"),
}
"""Patterns of lower-case model identifiers."""
