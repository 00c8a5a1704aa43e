"""Definitions of models that read text together with images, audio or video."""
