"""Tensor data, read only when it is asked for by name: what numbers lie in the tensors, in bounded memory."""
