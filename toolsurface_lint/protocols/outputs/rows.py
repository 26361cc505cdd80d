"""The protocols of raw outputs, one row each, and the names that engines have for their parsers."""

from __future__ import annotations

from fnmatch import fnmatchcase

from toolsurface_lint.protocols.outputs.engines import OTHER_PARSERS
from toolsurface_lint.protocols.outputs.protocol import THINK, OutputProtocol, Stops
from toolsurface_lint.protocols.outputs.syntax import (
    NOTHING,
    AttributeTokens,
    BareJson,
    CallNotation,
    Channels,
    JsonCalls,
    KeyValueTags,
    NamedJson,
    NamedTags,
    Pair,
    PythonicCalls,
)

__all__ = ["PROTOCOLS", "OutputProtocol", "by_model", "by_parser", "engine_parsers", "parser_named"]

_CHATML = Stops(("<|im_end|>", "<|endoftext|>"), ("<|im_start|>",))
_LLAMA3 = Stops(
    ("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"), ("<|start_header_id|>", "<|end_header_id|>", "<|begin_of_text|>")
)
_LLAMA4 = Stops(("<|eot|>", "<|eom|>", "<|end_of_text|>"), ("<|header_start|>", "<|header_end|>", "<|begin_of_text|>"))
_MISTRAL = Stops(("</s>",), ("[INST]", "[/INST]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]"))
_GRANITE = Stops(("<|end_of_text|>",), ("<|start_of_role|>", "<|end_of_role|>"))
_DEEPSEEK = Stops(("<｜end▁of▁sentence｜>",), ("<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"))
_GLM = Stops(("<|endoftext|>", "<|user|>", "<|observation|>"), ("<|system|>", "<|assistant|>"))
_KIMI = Stops(("<|im_end|>", "[EOS]"), ("<|im_assistant|>", "<|im_user|>", "<|im_system|>", "<|im_middle|>"))
_COHERE = Stops(
    ("<|END_OF_TURN_TOKEN|>",), ("<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|START_TEXT|>", "<|END_TEXT|>")
)
_GEMMA = Stops(("<turn|>", "<|tool_response>", "<eos>"), ("<|turn>", "<tool_response|>"))
_GEMMA3 = Stops(("<end_of_turn>", "<start_function_response>", "<eos>"), ("<start_of_turn>",))
_MINIMAX = Stops(("[e~[",), ("]~b]", "]~!b["))

_TOOL_CALL = Pair("<tool_call>", "</tool_call>")
_FUNCTION, _PARAMETER = Pair("<function=", ">"), Pair("<parameter=", ">")
_KEY, _VALUE = Pair("<arg_key>", "</arg_key>"), Pair("<arg_value>", "</arg_value>")
_FUNCTION_TAGS = ("</function>", "</parameter>", "</tool_call>")
_KEY_TAGS = ("</arg_key>", "</arg_value>", "</tool_call>")
_INVOKE, _NAMED_PARAMETER = Pair("<invoke name=", ">"), Pair("<parameter name=", ">")
_DEEPSEEK_CALL = Pair("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>")
_DEEPSEEK_SECTION = Pair("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
_DEEPSEEK_TOKENS = ("<｜tool▁calls▁end｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>", "<｜tool▁outputs▁begin｜>")


def _vllm(file: str) -> str:
    return f"vLLM 0.33.0, vllm/{file}.py"


PROTOCOLS: dict[str, OutputProtocol] = {
    row.name: row
    for row in (
        # JSON between markers
        OutputProtocol(
            "hermes",
            "JSON in <tool_call> tags (Hermes, Qwen 2.5, Qwen 3)",
            JsonCalls((_TOOL_CALL,)),
            _vllm("tool_parsers/hermes_tool_parser"),
            {"vllm": ("hermes", "qwen3_json"), "sglang": ("hermes", "qwen", "qwen25", "trinity")},
            ("*hermes-2-pro*", "*hermes-3*", "*hermes-4*", "*qwen2.5*", "*qwen3*", "*qwq*", "*trinity*", "*smollm3*"),
            stops=_CHATML,
            tokens=("</tool_call>",),
        ),
        OutputProtocol(
            "ernie45",
            "JSON in <tool_call> tags, answers in <response> tags (ERNIE 4.5)",
            JsonCalls((_TOOL_CALL,)),
            _vllm("tool_parsers/ernie45_tool_parser"),
            {"vllm": ("ernie45",)},
            ("*ernie-4.5*thinking*",),
            stops=Stops(("</s>", "<|im_end|>")),
            tokens=("</tool_call>",),
        ),
        OutputProtocol(
            "granite4",
            "JSON in <tool_call> tags (Granite 4)",
            JsonCalls((_TOOL_CALL,)),
            _vllm("tool_parsers/granite4_tool_parser"),
            {"vllm": ("granite4",)},
            ("*granite-4*",),
            stops=_GRANITE,
            tokens=("</tool_call>",),
        ),
        OutputProtocol(
            "granite",
            "A JSON list after <|tool_call|> (Granite 3)",
            JsonCalls((Pair("<|tool_call|>", ""), Pair("<tool_call>", ""))),
            _vllm("parser/granite"),
            {"vllm": ("granite",)},
            ("*granite-3*",),
            stops=_GRANITE,
        ),
        OutputProtocol(
            "granite-20b-fc",
            "JSON after <function_call> (Granite 20B Function Calling)",
            JsonCalls((Pair("<function_call>", ""),)),
            _vllm("tool_parsers/granite_20b_fc_tool_parser"),
            {"vllm": ("granite-20b-fc",)},
            ("*granite-20b-functioncalling*",),
            stops=Stops(("<|endoftext|>",)),
        ),
        OutputProtocol(
            "jamba",
            "A JSON list in <tool_calls> tags (Jamba)",
            JsonCalls((Pair("<tool_calls>", "</tool_calls>"),)),
            _vllm("tool_parsers/jamba_tool_parser"),
            {"vllm": ("jamba",)},
            ("*jamba*",),
            stops=Stops(("<|eom|>", "<|endoftext|>")),
            tokens=("</tool_calls>",),
        ),
        OutputProtocol(
            "hunyuan_a13b",
            "A JSON list in <tool_calls> tags (Hunyuan A13B)",
            JsonCalls((Pair("<tool_calls>", "</tool_calls>"),)),
            _vllm("tool_parsers/hunyuan_a13b_tool_parser"),
            {"vllm": ("hunyuan_a13b",)},
            ("*hunyuan-a13b*",),
            stops=Stops(("<|eos|>",)),
            tokens=("</tool_calls>",),
        ),
        OutputProtocol(
            "longcat",
            "JSON in <longcat_tool_call> tags (LongCat)",
            JsonCalls((Pair("<longcat_tool_call>", "</longcat_tool_call>"),)),
            _vllm("tool_parsers/longcat_tool_parser"),
            {"vllm": ("longcat",)},
            ("*longcat*",),
            reasoning=(Pair("<longcat_think>", "</longcat_think>"),),
            stops=Stops(("</longcat_s>",)),
            tokens=("</longcat_tool_call>",),
        ),
        OutputProtocol(
            "internlm",
            "JSON after <|action_start|><|plugin|> (InternLM 2)",
            JsonCalls(
                (
                    Pair("<|action_start|><|plugin|>", "<|action_end|>"),
                    Pair("<|action_start|> <|plugin|>", "<|action_end|>"),
                ),
                argument_keys=("parameters", "arguments"),
            ),
            _vllm("tool_parsers/internlm2_tool_parser"),
            {"vllm": ("internlm",), "sglang": ("interns1",)},
            ("*internlm2*", "*internlm3*", "*intern-s1*"),
            stops=_CHATML,
            tokens=("<|action_end|>", "<|interpreter|>"),
        ),
        OutputProtocol(
            "phi4_mini_json",
            "A JSON list after functools (Phi-4-mini)",
            JsonCalls((Pair("functools", ""),)),
            _vllm("tool_parsers/phi4mini_tool_parser"),
            {"vllm": ("phi4_mini_json",)},
            ("*phi-4-mini*",),
            stops=Stops(("<|end|>", "<|endoftext|>"), ("<|assistant|>", "<|user|>")),
            tokens=("<|tool_call|>", "<|/tool_call|>"),
        ),
        OutputProtocol(
            "apertus",
            "A JSON list of {name: arguments} between tokens (Apertus)",
            JsonCalls((Pair("<|tools_prefix|>", "<|tools_suffix|>"),), ()),
            _vllm("tool_parsers/apertus_tool_parser"),
            {"vllm": ("apertus",)},
            ("*apertus*",),
            reasoning=(Pair("<|inner_prefix|>", "<|inner_suffix|>"),),
            stops=Stops(("<|assistant_end|>",), ("<|assistant_start|>",)),
            tokens=("<|tools_suffix|>",),
        ),
        OutputProtocol(
            "gigachat3",
            "JSON after <|function_call|> (GigaChat 3)",
            JsonCalls((Pair("<|function_call|>", ""), Pair("function call<|role_sep|>\n", ""))),
            _vllm("tool_parsers/gigachat3_tool_parser"),
            {"vllm": ("gigachat3",), "sglang": ("gigachat3",), "llama.cpp": ("gigachat-v3",)},
            ("*gigachat3*",),
            stops=Stops(("</s>", "<|message_sep|>"), ("<|role_sep|>",)),
        ),
        OutputProtocol(
            "cohere_command3",
            "A JSON list in <|START_ACTION|> (Command A, Command R7B)",
            JsonCalls((Pair("<|START_ACTION|>", "<|END_ACTION|>"),), ("tool_name",), ("parameters",)),
            _vllm("parser/cohere_command"),
            {"vllm": ("cohere_command3", "cohere_command4"), "llama.cpp": ("cohere2moe",)},
            ("*command-a*", "*command-r7b*"),
            reasoning=(Pair("<|START_THINKING|>", "<|END_THINKING|>"),),
            stops=_COHERE,
            tokens=("<|END_ACTION|>",),
        ),
        OutputProtocol(
            "xlam",
            "A JSON list, alone or in <tool_call> tags (xLAM)",
            JsonCalls((_TOOL_CALL, Pair("[TOOL_CALLS]", ""), NOTHING)),
            _vllm("tool_parsers/xlam_tool_parser"),
            {"vllm": ("xlam",)},
            ("*xlam*",),
            stops=Stops(("<|im_end|>", "<|eot_id|>")),
            tokens=("</tool_call>",),
        ),
        # JSON that is all of the response
        OutputProtocol(
            "llama3_json",
            "Bare JSON (Llama 3)",
            BareJson(("<|python_tag|>",)),
            _vllm("tool_parsers/llama_tool_parser"),
            {"vllm": ("llama3_json", "llama4_json"), "sglang": ("llama3",)},
            ("*llama-3.1*", "*llama-3.2*", "*llama-3.3*", "*llama3.1*", "*llama3.2*", "*llama3.3*"),
            reasoning=(),
            stops=_LLAMA3,
        ),
        # A tag that names the tool, one for each argument
        OutputProtocol(
            "qwen3_coder",
            "<function=…> and <parameter=…> tags (Qwen3-Coder, Nemotron 3, Step 3.5)",
            NamedTags(_TOOL_CALL, _FUNCTION, "</function>", _PARAMETER, "</parameter>", frames_lines=True),
            _vllm("parser/qwen3"),
            {
                "vllm": ("qwen3_coder", "qwen3_xml", "step3p5", "step5"),
                "sglang": ("qwen3_coder", "step3p5"),
                "llama.cpp": ("qwen3-coder",),
            },
            ("*qwen3-coder*", "*qwen3.5*", "*qwen3.6*", "*qwen3.8*", "*nemotron-3*", "*step-3.5*", "*step-5*"),
            stops=_CHATML,
            tokens=_FUNCTION_TAGS,
        ),
        OutputProtocol(
            "mimo",
            "<function=…> and <parameter=…> tags, values as they are (MiMo)",
            NamedTags(_TOOL_CALL, _FUNCTION, "</function>", _PARAMETER, "</parameter>"),
            _vllm("parser/mimo"),
            {"vllm": ("mimo",), "sglang": ("mimo",)},
            ("*mimo*",),
            stops=_CHATML,
            tokens=_FUNCTION_TAGS,
        ),
        OutputProtocol(
            "seed_oss",
            "<function=…> tags in <seed:tool_call> (Seed-OSS)",
            NamedTags(
                Pair("<seed:tool_call>", "</seed:tool_call>"),
                *(_FUNCTION, "</function>", _PARAMETER, "</parameter>"),
                frames_lines=True,
            ),
            _vllm("parser/seed_oss"),
            {"vllm": ("seed_oss",)},
            ("*seed-oss*",),
            reasoning=(Pair("<seed:think>", "</seed:think>"),),
            stops=Stops(("<seed:eos>",), ("<seed:bos>",)),
            tokens=("</seed:tool_call>", "</function>", "</parameter>"),
        ),
        OutputProtocol(
            "minicpm5",
            "<function name=…> and <param name=…> tags (MiniCPM 5)",
            NamedTags(NOTHING, Pair("<function name=", ">"), "</function>", Pair("<param name=", ">"), "</param>"),
            _vllm("tool_parsers/minicpm5xml_tool_parser"),
            {"vllm": ("minicpm5",), "llama.cpp": ("minicpm5",)},
            ("*minicpm5*",),
            stops=_CHATML,
            tokens=("</function>", "</param>"),
        ),
        OutputProtocol(
            "minimax_m2",
            "<invoke name=…> in <minimax:tool_call> (MiniMax M2)",
            NamedTags(
                Pair("<minimax:tool_call>", "</minimax:tool_call>"),
                *(_INVOKE, "</invoke>", _NAMED_PARAMETER, "</parameter>"),
            ),
            _vllm("parser/minimax_m2"),
            {"vllm": ("minimax_m2",), "sglang": ("minimax-m2",)},
            ("*minimax-m2*",),
            stops=_MINIMAX,
            tokens=("</minimax:tool_call>", "</invoke>", "</parameter>"),
        ),
        OutputProtocol(
            "dots",
            "<invoke name=…> in <dots_function_call> (dots)",
            NamedTags(
                Pair("<dots_function_call>", "</dots_function_call>"),
                *(_INVOKE, "</invoke>", _NAMED_PARAMETER, "</parameter>"),
            ),
            _vllm("tool_parsers/dots_tool_parser"),
            {"vllm": ("dots",)},
            ("dots.*",),
            tokens=("</dots_function_call>", "</invoke>", "</parameter>"),
        ),
        OutputProtocol(
            "step3",
            "<steptml:invoke name=…> between tokens (Step 3)",
            NamedTags(
                Pair("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
                Pair("<steptml:invoke name=", ">"),
                "</steptml:invoke>",
                Pair("<steptml:parameter name=", ">"),
                "</steptml:parameter>",
                inner=("<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜>"),
            ),
            _vllm("tool_parsers/step3_tool_parser"),
            {"vllm": ("step3",), "sglang": ("step3",)},
            ("step3", "step3-*"),
            tokens=("<｜tool_calls_end｜>", "<｜tool_call_end｜>", "<｜tool_sep｜>"),
        ),
        OutputProtocol(
            "deepseek_v32",
            "DSML in <｜DSML｜function_calls> (DeepSeek V3.2)",
            NamedTags(
                Pair("<｜DSML｜function_calls>", "</｜DSML｜function_calls>"),
                Pair("<｜DSML｜invoke name=", ">"),
                "</｜DSML｜invoke>",
                Pair("<｜DSML｜parameter name=", ">"),
                "</｜DSML｜parameter>",
                typed="string",
            ),
            _vllm("parser/deepseek_v32"),
            {"vllm": ("deepseek_v32",), "sglang": ("deepseekv32",), "llama.cpp": ("deepseek",)},
            ("*deepseek-v3.2*",),
            stops=_DEEPSEEK,
            tokens=("｜DSML｜",),
        ),
        OutputProtocol(
            "deepseek_v4",
            "DSML in <｜DSML｜tool_calls> (DeepSeek V4)",
            NamedTags(
                Pair("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"),
                Pair("<｜DSML｜invoke name=", ">"),
                "</｜DSML｜invoke>",
                Pair("<｜DSML｜parameter name=", ">"),
                "</｜DSML｜parameter>",
                typed="string",
            ),
            _vllm("parser/deepseek_v4"),
            {"vllm": ("deepseek_v4",)},
            ("*deepseek-v4*",),
            stops=_DEEPSEEK,
            tokens=("｜DSML｜",),
        ),
        OutputProtocol(
            "deepseek_v41",
            "DSML in <｜DSML｜ calls> (DeepSeek V4.1)",
            NamedTags(
                Pair("<｜DSML｜ calls>", "</｜DSML｜ calls>"),
                Pair("<｜DSML｜ invoke name=", ">"),
                "</｜DSML｜ invoke>",
                Pair("<｜DSML｜ parameter name=", ">"),
                "</｜DSML｜ parameter>",
                typed="string",
            ),
            _vllm("parser/deepseek_v41"),
            {"vllm": ("deepseek_v41",)},
            ("*deepseek-v4.1*",),
            stops=_DEEPSEEK,
            tokens=("｜DSML｜",),
        ),
        # The name, then tags for keys and values
        OutputProtocol(
            "glm45",
            "<arg_key> and <arg_value> tags (GLM 4.5 and later, Ling 3, Laguna)",
            KeyValueTags(_TOOL_CALL, _KEY, _VALUE),
            _vllm("parser/glm47_moe"),
            {
                "vllm": ("glm45", "glm47", "ling3", "poolside_v1"),
                "sglang": ("glm", "glm45", "glm47"),
                "llama.cpp": ("ling3",),
            },
            ("*glm-4.5*", "*glm-4.6*", "*glm-4.7*", "*glm-5*", "*ling-3*", "*laguna*"),
            stops=_GLM,
            tokens=_KEY_TAGS,
        ),
        OutputProtocol(
            "hy_v3",
            "<arg_key> and <arg_value> tags after <tool_sep> (Hunyuan 3)",
            KeyValueTags(_TOOL_CALL, _KEY, _VALUE, Pair("<tool_calls>", "</tool_calls>"), "<tool_sep>"),
            _vllm("tool_parsers/hy_v3_tool_parser"),
            {"vllm": ("hy_v3",)},
            ("hy3*", "*-hy3*"),
            tokens=(*_KEY_TAGS, "</tool_calls>", "<tool_sep>"),
        ),
        OutputProtocol(
            "hy_v4",
            "<arg_key> and <arg_value> tags in <tool_calls> (Hunyuan 4)",
            KeyValueTags(_TOOL_CALL, _KEY, _VALUE, Pair("<tool_calls>", "</tool_calls>")),
            _vllm("tool_parsers/hy_v4_tool_parser"),
            {"vllm": ("hy_v4",)},
            ("hy4*", "*-hy4*"),
            tokens=(*_KEY_TAGS, "</tool_calls>"),
        ),
        OutputProtocol(
            "k2_horizon",
            "<ifm|arg_key> and <ifm|arg_value> tags (K2 Horizon)",
            KeyValueTags(
                Pair("<ifm|tool_call>", "</ifm|tool_call>"),
                Pair("<ifm|arg_key>", "</ifm|arg_key>"),
                Pair("<ifm|arg_value>", "</ifm|arg_value>"),
                Pair("<ifm|tool_calls>", "</ifm|tool_calls>"),
                type=Pair("<ifm|arg_type>", "</ifm|arg_type>"),
            ),
            _vllm("tool_parsers/k2_horizon_tool_parser"),
            {"vllm": ("k2_horizon",)},
            ("*k2-horizon*",),
            tokens=("</ifm|tool_calls>", "</ifm|tool_call>"),
        ),
        # The name, a separator, JSON
        OutputProtocol(
            "deepseek_v3",
            "Section tokens, arguments in a fence (DeepSeek V3, R1)",
            NamedJson(
                _DEEPSEEK_CALL,
                "\n",
                _DEEPSEEK_SECTION,
                name_open="function<｜tool▁sep｜>",
                fence=Pair("```json", "```"),
            ),
            _vllm("tool_parsers/deepseekv3_tool_parser"),
            {"vllm": ("deepseek_v3",), "sglang": ("deepseekv3",)},
            ("*deepseek-v3*", "*deepseek-r1*"),
            stops=_DEEPSEEK,
            tokens=_DEEPSEEK_TOKENS,
        ),
        OutputProtocol(
            "deepseek_v31",
            "Section tokens (DeepSeek V3.1)",
            NamedJson(_DEEPSEEK_CALL, "<｜tool▁sep｜>", _DEEPSEEK_SECTION),
            _vllm("tool_parsers/deepseekv31_tool_parser"),
            {"vllm": ("deepseek_v31",), "sglang": ("deepseekv31",)},
            ("*deepseek-v3.1*",),
            stops=_DEEPSEEK,
            tokens=_DEEPSEEK_TOKENS,
        ),
        OutputProtocol(
            "kimi_k2",
            "Section tokens, functions.NAME:INDEX (Kimi K2)",
            NamedJson(
                Pair("<|tool_call_begin|>", "<|tool_call_end|>"),
                "<|tool_call_argument_begin|>",
                Pair("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
                numbered=True,
            ),
            _vllm("tool_parsers/kimi_k2_tool_parser"),
            {"vllm": ("kimi_k2",), "sglang": ("kimi_k2",), "llama.cpp": ("kimi-k2",)},
            ("*kimi-k2*",),
            stops=_KIMI,
            tokens=("<|tool_calls_section_end|>", "<|tool_call_end|>", "<|tool_call_argument_begin|>"),
        ),
        OutputProtocol(
            "plamo3",
            "Section tokens (PLaMo 3)",
            NamedJson(
                Pair("<|plamo:begin_tool_request:plamo|>", "<|plamo:end_tool_request:plamo|>"),
                "<|plamo:end_tool_name:plamo|>",
                Pair("<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>"),
                name_open="<|plamo:begin_tool_name:plamo|>",
                fence=Pair(
                    "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>",
                    "<|plamo:end_tool_arguments:plamo|>",
                ),
            ),
            _vllm("parser/plamo3"),
            {"vllm": ("plamo3",)},
            ("*plamo-3*",),
            reasoning=(Pair("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),),
            stops=Stops(("<|plamo:tag|>",)),
            tokens=("<|plamo:",),
        ),
        OutputProtocol(
            "mistral",
            "[TOOL_CALLS] before names, or before a JSON list (Mistral)",
            NamedJson(Pair("[TOOL_CALLS]", ""), "[ARGS]", id="[CALL_ID]", listed=True),
            _vllm("parser/mistral"),
            {"vllm": ("mistral",), "sglang": ("mistral",), "llama.cpp": ("ministral3",)},
            ("*mistral*", "*magistral*", "*ministral*", "*devstral*", "*mixtral*"),
            reasoning=(Pair("[THINK]", "[/THINK]"), *THINK),
            stops=_MISTRAL,
            tokens=("[ARGS]", "[CALL_ID]"),
        ),
        # Grammars of one family
        OutputProtocol(
            "openai",
            "Harmony channels (gpt-oss)",
            Channels(),
            _vllm("parser/harmony"),
            {"vllm": ("openai",), "sglang": ("gpt-oss",), "llama.cpp": ("gpt-oss",)},
            ("*gpt-oss*",),
            reasoning=(),
            stops=Stops(("<|call|>", "<|return|>", "<|endoftext|>")),
            tokens=("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>"),
        ),
        OutputProtocol(
            "pythonic",
            "A list of Python calls (ToolACE, Llama 3.2)",
            PythonicCalls(),
            _vllm("tool_parsers/pythonic_tool_parser"),
            {"vllm": ("pythonic",), "sglang": ("pythonic",)},
            ("*toolace*",),
            stops=_LLAMA3,
        ),
        OutputProtocol(
            "llama4_pythonic",
            "A list of Python calls, between tokens or alone (Llama 4)",
            PythonicCalls(Pair("<|python_start|>", "<|python_end|>")),
            _vllm("tool_parsers/llama4_pythonic_tool_parser"),
            {"vllm": ("llama4_pythonic",)},
            ("*llama-4*",),
            reasoning=(),
            stops=_LLAMA4,
            tokens=("<|python_end|>",),
        ),
        OutputProtocol(
            "lfm2",
            "A list of Python calls between tokens (LFM2)",
            PythonicCalls(Pair("<|tool_call_start|>", "<|tool_call_end|>"), required=True),
            _vllm("tool_parsers/lfm2_tool_parser"),
            {"vllm": ("lfm2",), "sglang": ("lfm2",), "llama.cpp": ("lfm2",)},
            ("*lfm2*",),
            stops=_CHATML,
            tokens=("<|tool_call_end|>",),
        ),
        OutputProtocol(
            "olmo3",
            "Python calls on lines in <function_calls> (OLMo 3)",
            PythonicCalls(Pair("<function_calls>", "</function_calls>"), required=True, lines=True),
            _vllm("tool_parsers/olmo3_tool_parser"),
            {"vllm": ("olmo3",)},
            ("*olmo-3*",),
            stops=_CHATML,
            tokens=("</function_calls>",),
        ),
        OutputProtocol(
            "gemma4",
            "call:NAME{…} between tokens (Gemma 4)",
            CallNotation(Pair("<|tool_call>", "<tool_call|>"), '<|"|>'),
            _vllm("parser/gemma4"),
            {"vllm": ("gemma4",), "llama.cpp": ("gemma4",)},
            ("*gemma-4*",),
            reasoning=(Pair("<|channel>thought\n", "<channel|>"),),
            stops=_GEMMA,
            tokens=("<tool_call|>", '<|"|>', "<|channel>", "<|think|>"),
        ),
        OutputProtocol(
            "functiongemma",
            "call:NAME{…} between tokens (FunctionGemma)",
            CallNotation(Pair("<start_function_call>", "<end_function_call>"), "<escape>"),
            _vllm("tool_parsers/functiongemma_tool_parser"),
            {"vllm": ("functiongemma",)},
            ("*functiongemma*",),
            reasoning=(),
            stops=_GEMMA3,
            tokens=("<end_function_call>", "<escape>"),
        ),
        OutputProtocol(
            "kimi_k3",
            "Elements of tokens with attributes (Kimi K3)",
            AttributeTokens(),
            _vllm("parser/kimi_k3"),
            {"vllm": ("kimi_k3",), "llama.cpp": ("kimi-k3",)},
            ("*kimi-k3*",),
            reasoning=(),
            stops=Stops(("<|end_of_msg|>",)),
            tokens=("<|open|>", "<|close|>", "<|sep|>"),
        ),
    )
}

_BY_PARSER = {
    (engine, parser): row for row in PROTOCOLS.values() for engine, parsers in row.engines.items() for parser in parsers
}


def by_parser(engine: str, name: str) -> OutputProtocol | None:
    """The protocol that a parser of `vllm`, `sglang` or `llama.cpp` reads; None if it is not one of ours."""
    return _BY_PARSER.get((engine, name))


def engine_parsers(engine: str) -> tuple[str, ...]:
    """The names of an engine's parsers, also of those whose format is not here; empty for any other engine."""
    ours = [name for known, name in _BY_PARSER if known == engine]
    return tuple(sorted([*ours, *OTHER_PARSERS.get(engine, ())]))


def parser_named(name: str) -> OutputProtocol | None:
    """The protocol of a name: its own, else that of the first engine that has a parser of this name."""
    row = PROTOCOLS.get(name)
    if row is not None:
        return row
    return next((row for (_, parser), row in _BY_PARSER.items() if parser == name), None)


def by_model(model: str) -> OutputProtocol | None:
    """The protocol of a model, by its name with or without an owner; the longest pattern wins."""
    name = model.lower().rpartition("/")[2]
    matching = [
        (len(pattern), row) for row in PROTOCOLS.values() for pattern in row.models if fnmatchcase(name, pattern)
    ]
    return max(matching, key=lambda pair: pair[0], default=(0, None))[1]
