"""Definitions of models that read text only."""
