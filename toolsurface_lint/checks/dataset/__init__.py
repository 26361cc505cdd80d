"""What only a whole dataset shows, and no single row: reported by the command `dataset`."""
