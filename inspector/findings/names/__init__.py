"""N: names of tensors, and components."""
