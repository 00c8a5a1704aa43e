"""Findings on a checkpoint compared with another one (codes V…)."""
