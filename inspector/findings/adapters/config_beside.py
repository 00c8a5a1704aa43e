"""Findings on a config.json in the folder of an adapter, which has no weights of a model."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step

AS_MODEL = "for transformers 5 a local folder with a config.json is the model: AutoModel.from_pretrained fails on it"


class AdapterConfigAsModels(Finding, frozen=True, kw_only=True):
    """config.json is the config of the adapter, which is no config of a model.

    What it means
        The folder has the weights of an adapter. Its config.json states `peft_type` and neither `model_type` nor
        `architectures`: adapter_config.json was copied for a program that asks for a config.json.

    Why it matters
        Such a program then takes the folder for a model and fails: converters to GGUF find no `architectures`, vLLM
        and AutoConfig no `model_type`. transformers 5 loads the base and the adapter from a local folder only if it
        has no config.json. PeftModel and AutoPeftModel read adapter_config.json alone.

    Example
        warning[A974] adapter-config-as-models: config.json is a copy of
          adapter_config.json
          then  for transformers 5 a local folder with a config.json is the model:
                AutoModel.from_pretrained fails on it
          help  remove config.json; for programs that need a model, merge the adapter
                into its base (merge_and_unload) and save the result

    What to do
        Remove the copy. A program that needs a whole model needs the merged one, or the base next to the adapter.
    """

    code = "A974"
    severity = "warning"

    same: bool
    """True if both files state the same."""

    row_texts = (("then", AS_MODEL),)
    remedy_text = (
        "remove config.json; for programs that need a model, merge the adapter into its base (merge_and_unload) and "
        "save the result"
    )

    def headline(self) -> str:
        return f"config.json is {'a copy of adapter_config.json' if self.same else 'the config of an adapter'}"


class ModelConfigBesideAdapter(Finding, frozen=True, kw_only=True):
    """The folder of an adapter has the config of its base, and no weights of it.

    What it means
        config.json describes the base, as some trainers write it. The weights are those of the adapter alone.

    Why it matters
        `AutoModel.from_pretrained` of transformers 5 takes a local folder with a config.json for the model, with an
        adapter in it, and finds no weights of it (measured with 5.23). Without the file, and in transformers 4, it
        loads the base that adapter_config.json names, then the adapter. PeftModel and AutoPeftModel load it anyway.

    Example
        note[A983] model-config-beside-adapter: config.json of llama
          then  for transformers 5 a local folder with a config.json is the model:
                AutoModel.from_pretrained fails on it
          help  load it with AutoPeftModel or PeftModel; for AutoModel of transformers
                remove config.json

    What to do
        Load the adapter with PEFT, or remove config.json where transformers is to load it by itself.
    """

    code = "A983"
    severity = "note"
    advises = True

    of: str
    """The model type of the config, or its class."""

    headline_text = "config.json of {of}"
    row_texts = (("then", AS_MODEL),)
    remedy_text = "load it with AutoPeftModel or PeftModel; for AutoModel of transformers remove config.json"


class QuantizationOfTraining(Finding, frozen=True, kw_only=True):
    """The config in the folder of a LoRA of LLaVA has the quantization of the training, and the base is not quantized.

    What it means
        The training loaded the base in 4 or 8 bits (QLoRA) and wrote that setting into config.json. The base itself is
        stored in 16 or 32 bits.

    Why it matters
        LLaVA's code builds the base with this config.json (`load_pretrained_model`, also for merging). transformers
        then takes the base for a quantized save and stops: its weights have no `bitsandbytes__` components.

    Example
        warning[A968] quantization-of-training: bitsandbytes, 4-bit
          base  F16
          help  remove "quantization_config" from config.json; LLaVA quantizes the base
                with --load-4bit

    What to do
        Remove the block before merging or loading. PEFT and vLLM do not read this config.json.
    """

    code = "A968"
    severity = "warning"

    bits: int
    base: str
    """The dtypes of the base; "" if it was not read."""

    headline_text = "bitsandbytes, {bits}-bit"
    row_texts = (("base", "{base}", "base"),)

    def remedy(self) -> Remedy:
        unless = "" if self.base else "if the base is not quantized itself, "
        step = Step(action="remove", file="config.json", key=("quantization_config",))
        return Remedy(
            f'{unless}remove "quantization_config" from config.json; LLaVA quantizes the base with '
            f"--load-{self.bits}bit",
            (step,) if self.base else (),
        )


class QuantizationBesideLora(QuantizationOfTraining, frozen=True, kw_only=True):
    """The config in the folder of a LoRA of LLaVA has the quantization of the training; the base was not read.

    What it means
        The training loaded the base in 4 or 8 bits (QLoRA) and wrote that setting into config.json.

    Why it matters
        LLaVA's code builds the base with this config.json. If the base is stored in 16 bits, as most are, transformers
        takes it for a quantized save and stops.

    Example
        note[A969] quantization-beside-lora: bitsandbytes, 4-bit
          help  if the base is not quantized itself, remove "quantization_config" from
                config.json; LLaVA quantizes the base with --load-4bit

    What to do
        Remove the block before merging or loading with LLaVA, unless the base was saved in 4 or 8 bits. `--base` shows
        it.
    """

    code = "A969"
    severity = "note"
    advises = True
