"""Predicts what loaders do with a checkpoint: which tensors stay random, which are ignored, and what they refuse."""

LOADERS = (
    "transformers", "transformers@4", "diffusers", "peft", "sentence-transformers", "vllm", "llama.cpp", "mlx",
    "ollama",
)  # fmt: skip
"""Loaders that an audit can be restricted to."""
