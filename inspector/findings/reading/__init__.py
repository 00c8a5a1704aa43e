"""R: sources that could not be read."""
