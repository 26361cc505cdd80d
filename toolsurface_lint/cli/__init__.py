"""The command line. Nothing is imported here: `check` runs without click when its arguments are plain."""
