"""H: the header of one file."""
