"""Predicts what loaders do with a checkpoint: which tensors stay random, which are ignored, and what they refuse."""

LOADERS = (
    "transformers", "transformers@4", "diffusers", "peft", "sentence-transformers", "vllm", "llama.cpp", "mlx",
    "ollama",
)  # fmt: skip
"""Loaders that an audit can be restricted to."""


def unknown_loader(name: str | None) -> str | None:
    """The message for a name that is not one of these; None for one that is, and if none is given."""
    return None if name is None or name in LOADERS else f"unknown loader {name!r}; choose from {', '.join(LOADERS)}"
