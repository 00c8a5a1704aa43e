"""Compares expected with stored tensors: placement, ledger, solving symbols from shapes, root causes."""
