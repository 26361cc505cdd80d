"""The frameworks whose tools are known, one a file that names its `FRAMEWORK`; see `programs/framework.py`."""
