"""Schemas of published datasets, one file each: which columns they have, and what of a conversation is in them."""
