"""Findings on adapters (codes A…)."""
