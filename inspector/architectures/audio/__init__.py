"""Definitions of models that read or write audio."""
