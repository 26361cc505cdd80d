"""Rules about chat templates."""
