"""Numbers in tensors."""
