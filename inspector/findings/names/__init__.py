"""Findings on names of tensors and on components (codes N…)."""
