"""The structure of a workflow graph."""
