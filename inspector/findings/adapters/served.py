"""The finding on an adapter for a server, which serves its base."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy


class AdapterServedWithBase(Finding, frozen=True, kw_only=True):
    """The folder is an adapter, which vLLM serves with its base and not as a model.

    What it means
        The folder has adapter_config.json and the tensors that a training added to a base model. The config and the
        weights of the model are those of the base.

    Why it matters
        As the model (`vllm serve FOLDER`) it fails: there is no config.json. The base is the model, and the adapter is
        named beside it. vLLM reads ranks up to `--max-lora-rank`, which is 16 if it is not given.

    Example
        note[A966] adapter-served-with-base: vllm does not load an adapter as the model
          base  org/base
          help  serve the base: vllm serve org/base --enable-lora --max-lora-rank 64
                --lora-modules NAME=FOLDER; or merge the adapter into it
                (merge_and_unload) and serve the merged model

    What to do
        Serve the base with the adapter, or merge both. SGLang has `--lora-paths` for the same purpose.
    """

    code = "A966"
    severity = "note"
    advises = True

    loader: str
    base: str
    rank: int = 0
    """The rank for which the server has to be started; 0 if its default is enough."""

    headline_text = "{loader} does not load an adapter as the model"
    row_texts = (("base", "{base}", "base"),)

    def remedy(self) -> Remedy:
        rank = f" --max-lora-rank {self.rank}" if self.rank else ""
        command = f"vllm serve {self.base or 'BASE'} --enable-lora{rank} --lora-modules NAME=FOLDER"
        return Remedy(
            f"serve the base: {command}; or merge the adapter into it (merge_and_unload) and serve the merged model"
        )
