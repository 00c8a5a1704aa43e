"""Findings on the metadata and the tensors of GGUF files, from the view of llama.cpp."""
