"""A prompt against the tools that it names."""
