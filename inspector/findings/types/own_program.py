"""Findings on weights that are quantized for a program with a special loader."""

from __future__ import annotations

import json

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows


class QuantizedForProgram(ContentFinding, frozen=True, kw_only=True):
    """The weights are quantized in a format that one program reads.

    What it means
        The format is not one of transformers: no version has a quantizer for it, and the settings in config.json do not
        give it one. The program recognizes the tensors by their names, in whatever files they are.

    Why it matters
        The folder is complete for that program. transformers builds a model without a quantization and leaves the
        quantized weights random.

    Example
        note[T650] quantized-for-program: exl3, which exllamav3 reads
          modules  21, 3 bits
          help     load it with exllamav3; for another program quantize the original
                   model again

    What to do
        Load it with that program, or quantize the original model in a format of the program that you use.
    """

    code = "T650"
    severity = "note"

    scheme: str
    program: str
    modules: int
    bits: str

    headline_text = "{scheme}, which {program} reads"

    def rows(self) -> Rows:
        return [("modules", f"{self.modules:,}, {self.bits}" if self.bits else f"{self.modules:,}")]

    def remedy(self) -> Remedy:
        return Remedy(f"load it with {self.program}; for another program quantize the original model again")


class QuantizationStatedInside(ContentFinding, frozen=True, kw_only=True):
    """The quantization block is that of a part of the model.

    What it means
        `quantization_config` stands within the config of the text model, where transformers does not look for it.

    Why it matters
        LMDeploy finds the block there. vLLM looks at the top and in `text_config` alone. transformers, also with the
        code of the repository, builds a model without a quantization and leaves the quantized weights random.

    Example
        note[T660] quantization-stated-inside: llm_config.quantization_config
          scheme   awq
          read by  LMDeploy
          help     load it with LMDeploy; for transformers or vLLM move the block to the
                   top of config.json

    What to do
        Load it with LMDeploy.
    """

    code = "T660"
    severity = "note"
    advises = True

    scheme: str
    list_key: str = ""
    """The key of the block for modules that are not quantized; empty if the block has it, or needs none."""
    entries: tuple[str, ...] = ()
    """The modules that are not quantized, among them those outside the part."""

    headline_text = "{place.key}"
    row_texts = (("scheme", "{scheme}"), ("read by", "LMDeploy"))

    def remedy(self) -> Remedy:
        shown = ", ".join(json.dumps(one) for one in self.entries)
        added = f', and add "{self.list_key}": [{shown}] to it' if self.entries else ""
        return Remedy(
            f"load it with LMDeploy; for transformers or vLLM move the block to the top of config.json{added}"
        )

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding:
        """An error for a loader that does not find the block."""
        refused = loader.startswith("vllm") and outcome == "refuses"
        return QuantizationNotFound(**self.stated_fields()) if refused else self


class QuantizationNotFound(QuantizationStatedInside, frozen=True, kw_only=True):
    """The loader does not find the quantization block, which is that of a part of the model.

    What it means
        `quantization_config` stands within the config of the text model. vLLM looks for it at the top of config.json
        and in `text_config`.

    Why it matters
        vLLM builds plain layers and refuses the names of the quantized weights.

    Example
        error[T672] quantization-not-found: llm_config.quantization_config
          scheme   awq
          read by  LMDeploy
          help     load it with LMDeploy; for transformers or vLLM move the block to the
                   top of config.json

    What to do
        Move the block to the top of config.json, with the list of the modules that are not quantized.
    """

    code = "T672"
    severity = "error"


class BlockSizeUnstated(ContentFinding, frozen=True, kw_only=True):
    """The size of the blocks of fp8 weights is not stated, and vLLM assumes none.

    What it means
        The weights have a scale for each block of 128 x 128, and `quantization_config` has no `weight_block_size`.

    Why it matters
        transformers assumes this size. vLLM and SGLang build layers with one scale for each weight instead, which do
        not have the stored `weight_scale_inv`.

    Example
        note[T661] block-size-unstated: quantization_config.weight_block_size
          stored  14 modules with a scale for each block of 128 x 128
          help    add "weight_block_size": [128, 128] to quantization_config of
                  config.json

    What to do
        Add the key; transformers reads the same weights with it.
    """

    code = "T661"
    severity = "note"

    modules: int

    headline_text = "{place.key}"
    row_texts = (("stored", "{modules:count module} with a scale for each block of 128 x 128"),)
    remedy_text = 'add "weight_block_size": [128, 128] to quantization_config of config.json'
