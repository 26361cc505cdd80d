"""Templates of prompts: their own language, and the response protocols that they teach."""
