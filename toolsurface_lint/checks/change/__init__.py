"""What changed between two versions of a surface, and whom it breaks: reported by `compare` only."""

WAS, SCHEMA = "it was here", "the schema"
"""What related places are called that explain a change; all others break by it, or are concerned by it."""
