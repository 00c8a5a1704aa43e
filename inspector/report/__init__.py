"""Writes the results as text, Markdown and JSON. Text that comes from a checkpoint is made safe to print here only."""
