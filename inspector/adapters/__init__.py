"""The tensors that adapters add to modules: kinds, writers, names and shapes, and the modules of a base they fit."""
