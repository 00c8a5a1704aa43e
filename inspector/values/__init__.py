"""Values of tensors, read only on request and in bounded memory."""
