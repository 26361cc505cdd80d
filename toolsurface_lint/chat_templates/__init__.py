"""Chat templates: the Jinja texts that show a model its tools and the conversation."""
