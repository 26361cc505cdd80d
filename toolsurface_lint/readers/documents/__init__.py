"""The kinds of structured documents, one a file; see `readers/document_reader.py`."""
