"""R: what was named could not be read."""
