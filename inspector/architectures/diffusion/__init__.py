"""Definitions of the models of diffusers."""
