"""Readers of file formats other than safetensors."""
