"""The formats of transcripts, one a file; see `readers/transcript_format.py`."""
