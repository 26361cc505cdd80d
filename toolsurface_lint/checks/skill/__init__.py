"""Skills: whether clients find them, and what they name of their own."""
