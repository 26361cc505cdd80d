"""Datasets: every row of Parquet, JSON Lines and Arrow files, in processes of an engine, however many there are.

`inputs` finds the files and cuts them into pieces, `rows` reads the rows of a piece, and `piece` checks and sorts them where the
engine runs that. `state` keeps what is done, `run` puts it together, `report` is what came of it, and `rendering` the forms in
which that is written. `engine` and `remote` alone know Daft, which comes with the extra `dataset`, as pyarrow does.
"""
