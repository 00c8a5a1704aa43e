"""Compares the expected tensors of a definition with the stored tensors of a checkpoint.

Places each stored tensor in the block that expects it, accounts for every tensor in the ledger, solves values that the
config does not give from the shapes, and groups the differences by cause.
"""
