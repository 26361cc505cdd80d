"""The special tokens of families of models, for the rows."""

from __future__ import annotations

from toolsurface_lint.protocols.outputs.protocol import Stops

CHATML = Stops(("<|im_end|>", "<|endoftext|>"), ("<|im_start|>",))
LLAMA3 = Stops(
    ("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"), ("<|start_header_id|>", "<|end_header_id|>", "<|begin_of_text|>")
)
LLAMA4 = Stops(("<|eot|>", "<|eom|>", "<|end_of_text|>"), ("<|header_start|>", "<|header_end|>", "<|begin_of_text|>"))
MISTRAL = Stops(("</s>",), ("[INST]", "[/INST]", "[TOOL_RESULTS]"))
GRANITE = Stops(("<|end_of_text|>",), ("<|start_of_role|>", "<|end_of_role|>"))
DEEPSEEK = Stops(("<｜end▁of▁sentence｜>",), ("<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"))
GLM = Stops(("<|endoftext|>", "<|user|>", "<|observation|>"), ("<|system|>", "<|assistant|>"))
KIMI = Stops(("<|im_end|>", "[EOS]"), ("<|im_assistant|>", "<|im_user|>", "<|im_system|>", "<|im_middle|>"))
COHERE = Stops(("<|END_OF_TURN_TOKEN|>",), ("<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"))
GEMMA = Stops(("<turn|>", "<|tool_response>", "<eos>"), ("<|turn>", "<tool_response|>"))
GEMMA3 = Stops(("<end_of_turn>", "<start_function_response>", "<eos>"), ("<start_of_turn>",))
MINIMAX = Stops(("[e~[",), ("]~b]",))


def vllm(file: str) -> str:
    """A source: a file of the release of vLLM that the rows are from."""
    return f"vLLM 0.33.0, vllm/{file}.py"
