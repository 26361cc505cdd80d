"""Rules about the hooks of coding clients."""
