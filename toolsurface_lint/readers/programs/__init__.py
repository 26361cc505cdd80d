"""Python files to documents: the facts of the tools that `programs` finds registered."""
