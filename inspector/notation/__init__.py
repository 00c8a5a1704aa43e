"""The language of architecture definitions, and the evaluation of a definition with a config."""
