"""Files of other formats than safetensors, and what their writers call things."""
