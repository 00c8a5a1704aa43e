"""Stored families, the naming scheme of their keys, and the architecture definition that they match."""
