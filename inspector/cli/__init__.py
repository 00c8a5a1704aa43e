"""The command line: options, verbs, progress and exit codes."""
