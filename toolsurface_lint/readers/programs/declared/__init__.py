"""Languages whose tools are read where they are declared, one file each, found by its name."""
