"""Predicts what loaders do with a checkpoint: which tensors stay random, which are ignored, and what they refuse."""
