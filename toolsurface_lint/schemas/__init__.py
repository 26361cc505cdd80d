"""JSON Schema: its dialects, a walk over subschemas, quick acceptance, and jsonschema for everything else.

`arguments` puts it to use: what a tool asks of the arguments of a call.
"""
