"""Values of tensors."""
