"""The finding on a config of something else under the file name of an adapter's config."""

from __future__ import annotations

from inspector.findings.adapters.tools import AdapterTypeUnknown
from inspector.findings.finding import Finding, Remedy, Rows, Step


class AdapterConfigOfModel(AdapterTypeUnknown, frozen=True, kw_only=True):
    """adapter_config.json is the config of a model, or of text generation.

    What it means
        The file has the keys of a model's `config.json`, of `generation_config.json` or of another file, and none of an
        adapter: it was copied or saved over the adapter's own config. Rank, scale and targets are stated nowhere else.

    Why it matters
        PEFT refuses the folder. With `peft_type` added it would take its defaults for the rank and the scale.

    Example
        error[A985] adapter-config-of-model: adapter_config.json is a config of llama
          shown  the names are those of lora
          help   put the adapter's own adapter_config.json in its place: save the
                 adapter again, or take it from an earlier checkpoint of the training

    What to do
        Restore the file that was saved with the adapter. The scale (`lora_alpha`) cannot be read from the weights.
    """

    code = "A985"

    of: str
    """The model type, or what the keys are about; "" if they show neither."""

    def headline(self) -> str:
        name = "adapter_config.json"
        return f"{name} is a config of {self.of}" if self.of else f"{name} has no key of an adapter"

    def rows(self) -> Rows:
        return [("shown", f"the names are those of {self.shown}")] if self.shown else []

    def remedy(self) -> Remedy:
        return Remedy(
            "put the adapter's own adapter_config.json in its place: save the adapter again, or take it from an "
            "earlier checkpoint of the training"
        )


class ModelConfigMisnamed(Finding, frozen=True, kw_only=True):
    """The config of a model is stored as adapter_config.json, next to the model's weights.

    What it means
        The folder has the weights of a whole model and no config.json. adapter_config.json has a `model_type` and
        `architectures`, and no key of an adapter: config.json was renamed, usually for a program that asks for an
        adapter.

    Why it matters
        PEFT refuses the folder, which has no adapter, and transformers finds no config of the model.

    Example
        error[A995] model-config-misnamed: adapter_config.json is the config of a model
          type  llama
          help  rename adapter_config.json to config.json, and load the folder as a
                model

    What to do
        Rename the file. A merged model is loaded as a model, without PEFT.
    """

    code = "A995"

    of: str

    headline_text = "adapter_config.json is the config of a model"
    row_texts = (("type", "{of}"),)

    def remedy(self) -> Remedy:
        step = Step(action="move", file="adapter_config.json", new="config.json")
        return Remedy("rename adapter_config.json to config.json, and load the folder as a model", (step,))
