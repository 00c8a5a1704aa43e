"""Findings on dtypes and quantization (codes T…)."""
