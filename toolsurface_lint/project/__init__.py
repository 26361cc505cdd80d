"""What a checkout holds: its files, settings, and the surfaces that they make."""
