"""Trees to model: one file per format of tools in `tools/`, one per kind of document in `documents/`."""
