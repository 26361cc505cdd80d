"""TypeScript and JavaScript: the syntax, and the frameworks in which tools are made there."""
