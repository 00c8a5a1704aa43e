"""Reads the values of tensors, only on request and in bounded memory, and checks or compares them."""
