"""The words architecture definitions are written in, and what a definition means beside a config."""
