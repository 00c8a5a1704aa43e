"""T: dtypes and quantization."""
