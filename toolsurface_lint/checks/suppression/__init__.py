"""Our own directives."""
