"""What a tool surface is: plain data, without I/O and without formats."""
