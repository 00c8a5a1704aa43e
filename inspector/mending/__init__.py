"""Carries out the steps of remedies in files. Tensor data is copied unchanged, and every old file is kept."""
