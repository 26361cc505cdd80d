"""What models write when they call tools in their text: one row of data per protocol, one reader per grammar.

`rows` holds the protocols and the names that engines have for them, `syntax` the parameters of the grammars; each
grammar has a reader of its own over `reader`, imported when a response of that grammar is read.
"""
