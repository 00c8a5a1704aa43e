"""The finding on an adapter for a program that loads its base as the model."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy

MERGED = {"vllm": "serve the merged model", "ollama": "create the merged model"}
"""What follows the merging, by program."""


class AdapterServedWithBase(Finding, frozen=True, kw_only=True):
    """The folder is an adapter, which vLLM, llama.cpp and ollama load with its base and not as a model.

    What it means
        The folder has adapter_config.json and the tensors that a training added to a base model. The config and the
        weights of the model are those of the base.

    Why it matters
        As the model (`vllm serve FOLDER`, `convert_hf_to_gguf.py FOLDER`) it fails: there is no config.json. The base
        is the model, and the adapter is named beside it. vLLM reads ranks up to `--max-lora-rank`, which is 16 if it
        is not given. llama.cpp has a converter of its own for adapters; ollama reads those of few architectures.

    Example
        note[A966] adapter-served-with-base: vllm does not load an adapter as the model
          base  org/base
          help  serve the base: vllm serve org/base --enable-lora --max-lora-rank 64
                --lora-modules NAME=FOLDER; or merge the adapter into it
                (merge_and_unload) and serve the merged model

    What to do
        Load the base with the adapter, or merge both. SGLang has `--lora-paths` for the same purpose.
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
        then = MERGED.get(self.loader, "convert the merged model")
        return Remedy(f"{self._with_base()}; or merge the adapter into it (merge_and_unload) and {then}")

    def _with_base(self) -> str:
        """How the program loads the base together with the adapter."""
        if self.loader == "llama.cpp":
            convert = "convert_lora_to_gguf.py FOLDER --base BASE (a folder with the base's config.json)"
            return f"convert the adapter: {convert}, and load the base's GGUF with --lora ADAPTER.gguf"
        if self.loader == "ollama":
            named = "name both in a Modelfile, FROM BASE and ADAPTER FOLDER"
            return f"{named}, if the base is of type llama, mistral, mixtral or gemma2"
        rank = f" --max-lora-rank {self.rank}" if self.rank else ""
        return f"serve the base: vllm serve {self.base or 'BASE'} --enable-lora{rank} --lora-modules NAME=FOLDER"
