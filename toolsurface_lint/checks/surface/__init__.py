"""How tools, policies and prompts fit together."""
