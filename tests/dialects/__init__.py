"""Checkpoints under the names of other frameworks."""
