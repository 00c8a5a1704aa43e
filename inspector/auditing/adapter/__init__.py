"""Audits adapters, alone, with their base, or unmerged inside a model."""
