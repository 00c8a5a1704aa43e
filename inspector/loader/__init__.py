"""Reads checkpoints: which files there are, their headers, indexes and configs. An audit reads no tensor data.

`sources` opens folders, repositories and addresses, `formats` reads each file format, and `checkpoint` combines both
into a `Checkpoint`. No model is known here.
"""
