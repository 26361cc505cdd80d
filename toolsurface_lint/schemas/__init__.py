"""JSON Schema: its dialects, a walk over subschemas, quick acceptance, and jsonschema behind it for everything else."""
