"""Findings on files: names that no loader finds, several sets of weights, renamed shards, and a second reader."""
