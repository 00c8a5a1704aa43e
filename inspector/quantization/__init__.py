"""How quantized modules are stored: one scheme per file."""
