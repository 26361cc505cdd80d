"""The languages in which files are written, by the names that the program has for them."""

from __future__ import annotations

PROGRAMS = frozenset(("python", "typescript", "javascript", "go", "rust", "java", "kotlin", "csharp"))
"""Those of programs: their files import one another, and are read together."""

DATA = frozenset(("json", "jsonl", "yaml", "toml"))
"""Those of data: what they say of a tool follows from one file."""

JINJA = (".j2", ".jinja", ".jinja2")
"""How the names of templates in Jinja end."""
TITLES = {
    "json": "JSON", "jsonl": "JSON Lines", "yaml": "YAML", "toml": "TOML", "python": "Python", "typescript": "TypeScript",
    "javascript": "JavaScript", "go": "Go", "rust": "Rust", "java": "Java", "kotlin": "Kotlin", "csharp": "C#",
    "shell": "a script",
}  # fmt: skip
"""What people call them."""
