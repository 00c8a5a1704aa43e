"""Observed families, how their names are spelled, and which architecture they support."""
