"""Tensor data, read only when it is asked for by name: what numbers are in the tensors, in bounded memory."""
