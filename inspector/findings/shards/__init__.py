"""Findings on shards and their index (codes S…)."""
