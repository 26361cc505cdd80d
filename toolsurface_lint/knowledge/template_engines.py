"""What the engines that render chat templates have: functions, filters, tests, methods and statements, and what they bind.

`TRANSFORMERS` is jinja2's sandbox as transformers sets it up, which vLLM, SGLang and mlx-lm call.
"""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.knowledge import words

CONSTRUCTS = {
    "autoescape": "{% autoescape %}",
    "block": "{% block %}",
    "extends": "{% extends %}",
    "floor": "//",
    "import": "{% import %}",
    "include": "{% include %}",
    "power": "**",
    "raw": "{% raw %}",
    "recursive": "{% for %} with recursive",
    "with": "{% with %}",
}
"""What not every engine has, beside functions and the like: how each is written."""


class TemplateEngine(NamedTuple):
    """What one engine has.

    `methods` are those of values of any type. `refused` are methods that it knows and does not let templates call, since they
    change a value; `lacks` are keys of `CONSTRUCTS`.
    """

    title: str
    functions: frozenset[str]
    filters: frozenset[str]
    tests: frozenset[str]
    methods: frozenset[str]
    lacks: frozenset[str]
    source: str
    refused: frozenset[str] = frozenset()


_METHODS_OF_PYTHON = frozenset(
    name for kind in (str, list, dict, tuple, int, float) for name in dir(kind) if not name.startswith("_")
)

TRANSFORMERS = TemplateEngine(
    "transformers, vLLM and SGLang",
    words("cycler dict joiner lipsum namespace raise_exception range strftime_now"),
    words(
        "abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format "
        "groupby indent int items join last length list lower map max min pprint random reject rejectattr replace reverse "
        "round safe select selectattr slice sort string striptags sum title tojson trim truncate unique upper urlencode "
        "urlize wordcount wordwrap xmlattr"
    ),
    words(
        "boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in integer "
        "iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper"
    ),
    # Those of the loop, of cyclers and of the function `dict`.
    _METHODS_OF_PYTHON | words("cycle changed next reset fromkeys"),
    words("extends import include"),
    "transformers 5.24.0, utils/chat_template_utils.py; jinja2 3.1.6, filters.py, tests.py, sandbox.py (`_mutable_spec`)",
    words("append clear extend insert pop popitem remove reverse setdefault sort update"),
)

_OF_LLAMA_CPP = words(
    "abs append capitalize count d default dictsort endswith first float format get indent int items join keys last length "
    "list lower lstrip map max min pop reject rejectattr replace reverse rsplit rstrip safe select selectattr slice sort "
    "split startswith string strip sum title tojson trim truncate unique upper values wordcount"
)
"""There, every filter is a method too."""

LLAMA_CPP = TemplateEngine(
    "llama.cpp",
    words("dict namespace raise_exception range strftime_now tojson"),
    _OF_LLAMA_CPP,
    words(
        "boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in integer "
        "iterable lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper"
    ),
    _OF_LLAMA_CPP - words("count d trim"),
    words("autoescape block extends floor import include power raw recursive with"),
    "PyPI llama-cpp-python 0.3.36, vendor/llama.cpp/common/jinja: value.cpp, runtime.cpp, parser.cpp, lexer.h",
)

MINIJINJA = TemplateEngine(
    "minijinja",
    words("cycler debug dict joiner namespace raise_exception range strftime_now"),
    words(
        "abs attr batch bool capitalize chain count d default dictsort e escape filesizeformat first float format groupby "
        "indent int items join last length lines list lower map max min pprint reject rejectattr replace reverse round safe "
        "select selectattr slice sort split string striptags sum title tojson trim truncate unique upper urlencode wordwrap zip"
    ),
    words(
        "boolean defined divisibleby endingwith eq equalto escaped even false filter float ge greaterthan gt in integer "
        "iterable le lessthan lower lt mapping ne none number odd safe sameas sequence startingwith string test true "
        "undefined upper"
    ),
    words(
        "capitalize count cycle changed endswith find format get isalnum isalpha isascii isdigit islower isnumeric isspace "
        "isupper items join keys lower lstrip replace rfind rstrip split splitlines startswith strip title upper values"
    ),
    words("extends import include"),
    "PyPI minijinja 3.1.0, tried one by one; `raise_exception` and `strftime_now` are added by those who embed it, who also "
    "take out `{% generation %}`",
)

JAVASCRIPT = TemplateEngine(
    "@huggingface/jinja",
    words("namespace raise_exception range strftime_now"),
    words(
        "abs bool capitalize default dictsort first float indent int items join last length list lower map rejectattr replace "
        "reverse safe selectattr sort string title tojson trim unique upper"
    ),
    words(
        "boolean callable defined eq equalto even false integer iterable lower mapping none number odd sequence string true "
        "undefined upper"
    ),
    words(
        "capitalize dictsort endswith get items keys lower lstrip replace rstrip split startswith strip title upper values"
    ),
    words("autoescape block extends import include raw recursive with"),
    "npm @huggingface/jinja 0.5.11, src/runtime.ts and src/parser.ts, tried one by one",
)

ENGINES: dict[str, TemplateEngine] = {
    "vllm": TRANSFORMERS,
    "sglang": TRANSFORMERS,
    "mlx": TRANSFORMERS,
    "llama-cpp": LLAMA_CPP,
    "lmstudio": JAVASCRIPT,
    "huggingface": MINIJINJA,
}
"""The engine of each provider that renders the template of a model."""

BOUND = words(
    "messages tools documents add_generation_prompt continue_final_message "
    "true false none True False None loop self caller varargs kwargs"
)
"""Names that have a value in every template, beside functions and special tokens.

Source: transformers 5.24.0, `apply_chat_template`; jinja2 3.1.6.
"""
