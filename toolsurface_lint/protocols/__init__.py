"""The grammars of tool calling in text: calls, responses, templates, wire delimiters.

Every grammar takes plain text and gives plain data with spans (code-point offsets into that text). None of them raises
on any text, except those of templates, which raise `TemplateError`.
"""
