"""What only a whole dataset shows, and no single row: reported by the command `dataset`."""


def rows(number: int) -> str:
    """So many rows, in words."""
    return f"{number:,} row{'' if number == 1 else 's'}"
