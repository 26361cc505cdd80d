"""Python for `programs`: its syntax, its library, and how its imports find files."""
