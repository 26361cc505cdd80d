"""Texts that collide with the reserved tokens of a model, and what a runtime does about it."""
