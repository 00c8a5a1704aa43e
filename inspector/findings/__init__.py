"""Everything the tool can report: one record per finding, a file or folder per stage. Imports algebra only."""
