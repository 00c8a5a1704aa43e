"""Matches the stored tensor names with an architecture definition.

Groups the tensors into families, recognises the naming scheme of their keys, and finds the definition that they fit.
"""
