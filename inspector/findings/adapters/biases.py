"""The finding on trained biases of the base, according to an adapter's config, that the adapter's file lacks."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step


class AdapterBiasesMissing(Finding, frozen=True, kw_only=True):
    """The biases that the adapter's config says were trained are not in its file.

    What it means
        `bias` in adapter_config.json is "all" or ends with "_only": biases of the base were trained in their places and
        are stored with the adapter. All of them are missing.

    Why it matters
        PEFT silently keeps the biases of the base. If others were trained, the model is not the one of the
        training.

    Example
        warning[A932] adapter-biases-missing: 128 of 128 biases
          such as
            base_model.model.model.layers.{layer}.self_attn.q_proj.base_layer.bias
          help     set "bias": "none" in adapter_config.json, if none was trained; else
                   download or save the adapter again

    What to do
        Set `bias` to "none" if no bias was trained; otherwise download the adapter again, or save it again.
    """

    code = "A932"
    severity = "warning"

    such_as: str
    tensors: int
    of: int

    headline_text = "{tensors} of {of} biases"
    row_texts = (("such as", "{such_as}"),)

    def remedy(self) -> Remedy:
        step = Step(action="set", file="adapter_config.json", key=("bias",), new="none")
        words = (
            'set "bias": "none" in adapter_config.json, if none was trained; else download or save the adapter again'
        )
        return Remedy(words, (step,))


class AdapterBiasesLost(AdapterBiasesMissing, frozen=True, kw_only=True):
    """Some of the biases that were trained with the adapter are not in its file.

    What it means
        `bias` in adapter_config.json is "all" or ends with "_only", and some of these biases are stored: the others
        were trained too, and are lost.

    Why it matters
        PEFT silently keeps the biases of the base in their places: the model is not the one of the training.

    Example
        error[A935] adapter-biases-lost: 35 of 128 biases
          such as
            base_model.model.model.layers.{layer}.self_attn.q_proj.base_layer.bias
          help     download or save the adapter again

    What to do
        Download the adapter again, or save it again.
    """

    code = "A935"
    severity = "error"

    def remedy(self) -> Remedy:
        return Remedy("download or save the adapter again")
