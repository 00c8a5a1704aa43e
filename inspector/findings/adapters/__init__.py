"""A: adapters."""
