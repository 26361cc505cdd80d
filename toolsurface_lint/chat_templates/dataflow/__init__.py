"""Which part of a chat template carries what: its tree is followed over conversations, without jinja2's compiler."""
