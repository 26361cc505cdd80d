"""A policy by itself, and against the tools that it speaks of."""
