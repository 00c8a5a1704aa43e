"""Unpacks quantized modules: recognises their scheme, and derives the logical tensors from the stored ones.

`schemes` has one file for each storage format; `settings` describes the config; `unpacking` applies both to a
checkpoint.
"""
