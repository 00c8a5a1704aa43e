"""Adapters that were saved with, beside or in place of the weights of a model."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, number


class AdapterNotMerged(Finding, frozen=True, kw_only=True):
    """The model was saved with an unmerged adapter.

    What it means
        The model was saved while PEFT's layers wrapped its own: names contain `base_layer` and `lora_A`.

    Why it matters
        Loaders of the plain model do not find the wrapped matrices and initialize them randomly.

    Example
        error[A910] adapter-not-merged: lora around 32 modules, not merged
          base     291 tensors of the model, 8,030,261,248 elements
          adapter  64 tensors, 4,194,304 elements
          such as  model.layers.0.self_attn.q_proj.base_layer.weight
          help     call model.merge_and_unload() before save_pretrained, or save only
                   the adapter

    What to do
        Load the model with its adapter, call `merge_and_unload()` of PEFT's model, or `fuse_lora()` and `unload_lora()`
        of a model of diffusers, and save the result; or save only the adapter.
    """

    code = "A910"

    type: str | None
    modules: int
    tensors: int
    elements: int
    base_tensors: int
    base_elements: int
    example: str
    library: str = "peft"

    def headline(self) -> str:
        return f"{self.type} around {count(self.modules, 'module')}, not merged"

    def rows(self) -> Rows:
        return [
            ("base", f"{count(self.base_tensors, 'tensor')} of the model, {number(self.base_elements)} elements"),
            ("adapter", f"{count(self.tensors, 'tensor')}, {number(self.elements)} elements"),
            ("such as", self.example),
        ]

    def remedy(self) -> Remedy:
        if self.library == "diffusers":
            return Remedy(
                "call model.fuse_lora() and model.unload_lora() before save_pretrained, or save only the adapter "
                "(save_lora_adapter)"
            )
        return Remedy("call model.merge_and_unload() before save_pretrained, or save only the adapter")


class AdapterAsWeights(Finding, frozen=True, kw_only=True):
    """The file of the model's weights holds only an adapter.

    What it means
        The file has the name under which a loader looks for the weights of the model in config.json, and contains the
        tensors of an adapter alone: the adapter was saved over the weights, or only its state dict was saved.

    Why it matters
        Loaders build the whole model with random weights and ignore the adapter.

    Example
        error[A950] adapter-as-weights: model.safetensors holds only an adapter (lora)
          config  a whole model, which transformers builds from config.json
          stored  128 tensors of the adapter, 6,815,744 elements
          help    download the weights of the model again as model.safetensors; keep
                  this file elsewhere, as an adapter of the model

    What to do
        Restore the weights of the model. Keep the adapter in a folder of its own: PEFT looks for
        adapter_model.safetensors beside adapter_config.json, a pipeline of diffusers for the file that
        `load_lora_weights` is given.
    """

    code = "A950"

    type: str
    loader: str
    tensors: int
    elements: int

    def headline(self) -> str:
        return f"{self.place.file} holds only an adapter ({self.type})"

    def rows(self) -> Rows:
        return [
            ("config", f"a whole model, which {self.loader} builds from config.json"),
            ("stored", f"{count(self.tensors, 'tensor')} of the adapter, {number(self.elements)} elements"),
        ]

    def remedy(self) -> Remedy:
        return Remedy(
            f"download the weights of the model again as {self.place.file}; keep this file elsewhere, as an adapter of "
            "the model"
        )


class AdapterBesideWeights(Finding, frozen=True, kw_only=True):
    """A complete model is stored together with adapter_config.json.

    What it means
        The weights are a model's, not an adapter's. Headers cannot show whether the adapter was merged into
        them.

    Why it matters
        transformers with PEFT installed reads adapter_config.json first, loads the base that it names instead
        of these weights, and then looks for the adapter.

    Example
        note[A911] adapter-beside-weights: an adapter for meta-llama/Meta-Llama-3-8B
          weights  a complete model; headers cannot show whether the adapter was merged
          help     remove adapter_config.json if the weights are merged: with PEFT,
                   loaders use the base it names

    What to do
        If the weights are merged, remove adapter_config.json; if not, keep the adapter in a separate folder.
    """

    code = "A911"
    severity = "note"

    base: str | None
    adapter_file: str | None

    def headline(self) -> str:
        return f"an adapter for {self.base}" if self.base else "an adapter's config"

    def rows(self) -> Rows:
        rows = [("weights", "a complete model; headers cannot show whether the adapter was merged")]
        if self.adapter_file:
            rows.append(("adapter", f"{self.adapter_file} is also here, not included in these counts"))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("remove adapter_config.json if the weights are merged: with PEFT, loaders use the base it names")
