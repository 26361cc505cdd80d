"""Datasets: every row of Parquet, JSON Lines and Arrow files, in processes of an engine, however many there are.

`inputs` finds the files and cuts them into pieces, `rows` reads the rows of a piece, `piece` checks and sorts them, where the
engine runs that; `engine` alone knows Daft. `state` keeps what is done, `run` puts it together, `report` is what came of it,
and `rendering` the forms in which that is written. pyarrow and Daft come with the extra `dataset`.
"""
