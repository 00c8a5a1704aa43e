"""Findings on the header of one file (codes H…)."""
