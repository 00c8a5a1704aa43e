"""Definitions of architectures, by what the models read. `catalog` finds the definition of a model type."""
