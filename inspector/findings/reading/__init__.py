"""Findings on sources that could not be read (codes R…)."""
