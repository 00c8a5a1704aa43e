"""Findings on quantized modules, and on the quantization block of the config that describes them."""
