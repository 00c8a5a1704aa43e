"""How a module is stored when it is quantized: one scheme a file."""
