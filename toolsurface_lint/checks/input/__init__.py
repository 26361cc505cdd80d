"""Files that cannot be read, or not as what they claim to be."""
