"""OpenAI Responses items: `function_call` and `function_call_output`, joined by `call_id`, in order.

Sources: OpenAI API reference, "Create a model response", input and output items, and the error texts of the API ("No tool
output found for function call", "No tool call found for function call output with call_id").
"""

from __future__ import annotations

from functools import partial
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, FREE, JSON_TEXT, TOOL, Call, CallShape, Contract, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.transcripts.openai import ROLES
from toolsurface_lint.source.tree import Path, Tree

_CALLS = {
    "function_call": CallShape(("call_id",), ("name",), ("arguments",), JSON_TEXT),
    "custom_tool_call": CallShape(("call_id",), ("name",), ("input",), FREE),
}
_PROVIDERS_OWN = frozenset(
    {"computer_call", "shell_call", "local_shell_call", "apply_patch_call", "tool_search_call", "program"}
)
_CONTRACT = Contract(adjacent=False, itemised=True, client_tools=_PROVIDERS_OWN)

_ACTION = CallShape(("call_id",), ("type",), ("action",))
_TEXTS = partial(messages.block_texts, types=frozenset({"input_text", "output_text", "text"}))
_ASIDE = frozenset({"reasoning", "item_reference", "compaction"})


def read_item(tree: Tree, path: Path, item: dict[str, Any], contract: Contract = _CONTRACT) -> Turn | None:
    kind = messages.text_of(item.get("type", "message"))
    if kind == "message":
        return Turn(tree, path, ROLES.get(messages.text_of(item.get("role"))), ("role",), contract, texts=_TEXTS)
    if kind is None:
        return None
    shape = _CALLS.get(kind)
    if shape is None and item.get("call_id") is None:
        # The provider runs it, and answers it, by itself.
        return None
    if shape is not None or kind in _PROVIDERS_OWN:
        turn = Turn(tree, path, ASSISTANT, None, contract, ended=messages.was_cut_off)
        if shape is not None:
            turn.calls = messages.read_call(tree, path, item, shape)
        else:
            turn.calls = (Call(tree, path, _ACTION, messages.text_of(item.get("call_id")), kind, None),)
        return turn
    if kind.endswith("_output") and "call_id" in item:
        failed = item.get("status") == "failed" or messages.starts_with_error(item.get("output"))
        result = messages.read_result(tree, path, item, "call_id", failed, "output", "type")
        return Turn(tree, path, TOOL, None, contract, results=(result,))
    return None


def _identifies(item: dict[str, Any]) -> bool:
    kind = item.get("type")
    return type(kind) is str and (
        ("call_id" in item and (kind.endswith(("_call", "_output")) or kind in _PROVIDERS_OWN))
        or (kind == "reasoning" and "summary" in item)
        or (kind == "compaction" and "encrypted_content" in item)
    )


def _recognises(item: dict[str, Any]) -> bool:
    kind = item.get("type")
    if kind is None or kind == "message":
        return type(item.get("role")) is str and type(item.get("content")) in (str, list)
    return _identifies(item) or messages.text_of(kind) in _ASIDE


FORMAT = messages.MessageFormat(50, _identifies, _recognises, read_item)
