"""The finding on shards of pickled tensors that the loader takes only as a single file."""

from __future__ import annotations

from inspector.findings.finding import Finding


class PickledShardsUnread(Finding, frozen=True, kw_only=True):
    """diffusers does not look for the index of these shards unless it is told to.

    What it means
        The weights are PyTorch files in several shards, as `save_pretrained(safe_serialization=False)` of diffusers
        writes large models.

    Why it matters
        `from_pretrained` looks for the index of safetensors alone, and for a single PyTorch file (OSError: no file
        named diffusion_pytorch_model.bin found). It reads these shards with `use_safetensors=False`, which a pipeline
        would also pass to components that are safetensors.

    Example
        error[S242] pickled-shards-unread: diffusion_pytorch_model.bin.index.json
          stored  2 shards
          loader  diffusers looks for diffusion_pytorch_model.safetensors.index.json
          help    load it with use_safetensors=False, and save it again as safetensors

    What to do
        Load the model by its own class with `use_safetensors=False`, and save it with `save_pretrained`.
    """

    code = "S242"

    files: int
    loader: str
    wanted: str

    headline_text = "{place.file}"
    row_texts = (("stored", "{files:count shard}"), ("loader", "{loader} looks for {wanted}"))
    remedy_text = "load it with use_safetensors=False, and save it again as safetensors"
