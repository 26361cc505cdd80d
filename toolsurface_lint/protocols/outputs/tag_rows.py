"""Protocols whose calls are tags, with the arguments as text."""

from __future__ import annotations

from toolsurface_lint.protocols.outputs.families import CHATML, DEEPSEEK, GLM, MINIMAX, vllm
from toolsurface_lint.protocols.outputs.protocol import OutputProtocol, Stops
from toolsurface_lint.protocols.outputs.syntax import NOTHING, KeyValueTags, NamedTags, Pair

_TOOL_CALL = Pair("<tool_call>", "</tool_call>")
_FUNCTION, _PARAMETER = Pair("<function=", ">"), Pair("<parameter=", ">")
_KEY, _VALUE = Pair("<arg_key>", "</arg_key>"), Pair("<arg_value>", "</arg_value>")
_FUNCTION_TAGS = ("</function>", "</parameter>", "</tool_call>")
_KEY_TAGS = ("</arg_key>", "</arg_value>", "</tool_call>")
_INVOKE, _NAMED_PARAMETER = Pair("<invoke name=", ">"), Pair("<parameter name=", ">")

ROWS = (
    # A tag that names the tool, one for each argument
    OutputProtocol(
        "qwen3_coder",
        "<function=…> and <parameter=…> tags (Qwen3-Coder, Nemotron 3, Step 3.5)",
        NamedTags(_TOOL_CALL, _FUNCTION, "</function>", _PARAMETER, "</parameter>", frames_lines=True),
        vllm("parser/qwen3"),
        {
            "vllm": ("qwen3_coder", "qwen3_xml", "step3p5", "step5"),
            "sglang": ("qwen3_coder", "step3p5"),
            "llama.cpp": ("qwen3-coder",),
        },
        (
            *("*qwen3-coder*", "*qwen3.5*", "*qwen3.6*", "*qwen3.8*", "*nemotron-3*", "*step-3.5*", "*step-5*"),
            "*trinity-large-thinking*",
        ),
        stops=CHATML,
        tokens=_FUNCTION_TAGS,
    ),
    OutputProtocol(
        "mimo",
        "<function=…> and <parameter=…> tags, values as they are (MiMo)",
        NamedTags(_TOOL_CALL, _FUNCTION, "</function>", _PARAMETER, "</parameter>"),
        vllm("parser/mimo"),
        {"vllm": ("mimo",), "sglang": ("mimo",)},
        ("*mimo-v2*",),
        stops=CHATML,
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
        vllm("parser/seed_oss"),
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
        vllm("tool_parsers/minicpm5xml_tool_parser"),
        {"vllm": ("minicpm5",), "llama.cpp": ("minicpm5",)},
        ("*minicpm5*",),
        stops=CHATML,
        tokens=("</function>", "</param>"),
    ),
    OutputProtocol(
        "minimax_m2",
        "<invoke name=…> in <minimax:tool_call> (MiniMax M2)",
        NamedTags(
            Pair("<minimax:tool_call>", "</minimax:tool_call>"),
            *(_INVOKE, "</invoke>", _NAMED_PARAMETER, "</parameter>"),
        ),
        vllm("parser/minimax_m2"),
        {"vllm": ("minimax_m2",), "sglang": ("minimax-m2",)},
        ("*minimax-m2*",),
        stops=MINIMAX,
        tokens=("</minimax:tool_call>", "</invoke>", "</parameter>"),
    ),
    OutputProtocol(
        "dots",
        "<invoke name=…> in <dots_function_call> (dots)",
        NamedTags(
            Pair("<dots_function_call>", "</dots_function_call>"),
            *(_INVOKE, "</invoke>", _NAMED_PARAMETER, "</parameter>"),
        ),
        vllm("tool_parsers/dots_tool_parser"),
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
        vllm("tool_parsers/step3_tool_parser"),
        {"vllm": ("step3",), "sglang": ("step3",)},
        ("step3", "step3-fp8*"),
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
        vllm("parser/deepseek_v32"),
        {"vllm": ("deepseek_v32",), "sglang": ("deepseekv32",), "llama.cpp": ("deepseek",)},
        ("*deepseek-v3.2*",),
        stops=DEEPSEEK,
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
        vllm("parser/deepseek_v4"),
        {"vllm": ("deepseek_v4",)},
        ("*deepseek-v4*",),
        stops=DEEPSEEK,
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
        vllm("parser/deepseek_v41"),
        {"vllm": ("deepseek_v41",)},
        ("*deepseek-v4.1*",),
        stops=DEEPSEEK,
        tokens=("｜DSML｜",),
    ),
    # The name, then tags for keys and values
    OutputProtocol(
        "glm45",
        "<arg_key> and <arg_value> tags (GLM 4.5 and later, Ling 3, Laguna)",
        KeyValueTags(_TOOL_CALL, _KEY, _VALUE),
        vllm("parser/glm47_moe"),
        {
            "vllm": ("glm45", "glm47", "ling3", "poolside_v1"),
            "sglang": ("glm", "glm45", "glm47"),
            "llama.cpp": ("ling3",),
        },
        ("*glm-4.5*", "*glm-4.6*", "*glm-4.7*", "*glm-5*", "*ling-3*", "*laguna*"),
        stops=GLM,
        tokens=_KEY_TAGS,
    ),
    OutputProtocol(
        "hy_v3",
        "<arg_key> and <arg_value> tags after <tool_sep> (Hunyuan 3)",
        KeyValueTags(_TOOL_CALL, _KEY, _VALUE, Pair("<tool_calls>", "</tool_calls>"), "<tool_sep>"),
        vllm("tool_parsers/hy_v3_tool_parser"),
        {"vllm": ("hy_v3",)},
        ("hy3*", "*-hy3*"),
        tokens=(*_KEY_TAGS, "</tool_calls>", "<tool_sep>"),
    ),
    OutputProtocol(
        "hy_v4",
        "<arg_key> and <arg_value> tags in <tool_calls> (Hunyuan 4)",
        KeyValueTags(_TOOL_CALL, _KEY, _VALUE, Pair("<tool_calls>", "</tool_calls>")),
        vllm("tool_parsers/hy_v4_tool_parser"),
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
        vllm("tool_parsers/k2_horizon_tool_parser"),
        {"vllm": ("k2_horizon",)},
        ("*k2-horizon*",),
        tokens=("</ifm|tool_calls>", "</ifm|tool_call>"),
    ),
)
