"""Servers of models: whether they read the calls that their model writes."""
