"""Definitions of models that read images or video only."""
