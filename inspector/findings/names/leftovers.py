"""Findings on training state among the weights, and on padding of the vocabulary."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding


class LeftoverTensors(ContentFinding, frozen=True, kw_only=True):
    """Tensors of a training tool. names: the first of them. prefix: of averaged weights."""

    tensors: int
    elements: int
    bytes: int
    names: tuple[str, ...]
    prefix: str | None

    row_texts = (("stored", "{tensors:count tensor}, {elements} elements"), ("such as", "{names[0]}"))


class VocabularyPadded(ContentFinding, frozen=True, kw_only=True):
    """The vocabulary has more rows than the config states.

    What it means
        The vocabulary is rounded up to a multiple, so that it can be split evenly. The last rows belong to no
        token.

    Why it matters
        Nothing is wrong; a converter removes these rows. They are stored parameters and are counted.

    Example
        note[N418] vocabulary-padded: 32,256 rows for 32,000 tokens
          padding  256 rows, 2,097,152 parameters

    What to do
        Nothing. After conversion to transformers the model has that many parameters fewer.
    """

    code = "N418"
    severity = "note"

    vocabulary_rows: int = msgspec.field(name="rows")
    vocabulary: int
    padding: int
    parameters: int

    headline_text = "{vocabulary_rows} rows for {vocabulary} tokens"
    row_texts = (("padding", "{padding} rows, {parameters} parameters"),)


class ExtraStateStored(LeftoverTensors, frozen=True, kw_only=True):
    """Module state that is not a weight is stored.

    What it means
        `_extra_state` is what a module's `get_extra_state` returns: Transformer Engine's fp8 scales, serialized
        as bytes.

    Why it matters
        It is not a parameter; loaders without that module report it as unexpected.

    Example
        note[N419] extra-state-stored: _extra_state of 32 modules
          stored   32 tensors, 12,032 elements
          such as  model.layers.0.self_attn.q_proj._extra_state
          help     do not publish it: it is not needed to load the weights

    What to do
        Do not publish it.
    """

    code = "N419"
    severity = "note"
    headline_text = "_extra_state of {tensors:count module}"
    remedy_text = "do not publish it: it is not needed to load the weights"


class FlatParameters(LeftoverTensors, frozen=True, kw_only=True):
    """The weights are FSDP flat parameters.

    What it means
        FSDP concatenates the parameters of a block into one padded vector, and these vectors were saved.

    Why it matters
        Names and shapes are lost: model loaders cannot read them, and their sizes are not the model's.

    Example
        error[N420] flat-parameters: 1 flat vector
          stored   1 tensor, 8,030,261,248 elements
          such as  _fsdp_wrapped_module._flat_param
          help     save again with StateDictType.FULL_STATE_DICT (set by
                   FullyShardedDataParallel.state_dict_type)

    What to do
        Save with `StateDictType.FULL_STATE_DICT`, or with FSDP2, which keeps names.
    """

    code = "N420"
    headline_text = "{tensors:count flat vector}"
    remedy_text = "save again with StateDictType.FULL_STATE_DICT (set by FullyShardedDataParallel.state_dict_type)"


class TorchQuantized(LeftoverTensors, frozen=True, kw_only=True):
    """The linear layers were quantized in memory by torch.

    What it means
        `torch.quantization.quantize_dynamic` or a similar function replaced layers by quantized ones, and their state
        was saved: packed weights, a scale and a zero point for each.

    Why it matters
        Model loaders build the layers of the class and find none of these names: the layers stay random.

    Example
        error[N531] torch-quantized: 80 tensors of quantized layers
          stored   80 tensors, 57,835 elements
          such as  classifier.scale
          help     save the model before it is quantized, and quantize it after loading;
                   this file loads with load_state_dict into a model that was quantized
                   in the same way

    What to do
        Save the unquantized model and quantize it after loading, or load the state into a model that was quantized the
        same way.
    """

    code = "N531"
    headline_text = "{tensors:count tensor} of quantized layers"
    remedy_text = (
        "save the model before it is quantized, and quantize it after loading; this file loads with load_state_dict "
        "into a model that was quantized in the same way"
    )


class OptimizerStateStored(LeftoverTensors, frozen=True, kw_only=True):
    """Optimizer state is stored among the weights.

    What it means
        The checkpoint contains moments such as `exp_avg` and `exp_avg_sq` next to the weights.

    Why it matters
        They are twice as large as the weights and not needed to use the model.

    Example
        warning[N421] optimizer-state-stored: moments of 32 tensors
          stored   32 tensors, 536,870,912 elements
          such as  model.layers.0.self_attn.q_proj.weight.exp_avg
          help     save only the model's state_dict, without the optimizer's

    What to do
        Save only the model's state dict.
    """

    code = "N421"
    severity = "warning"
    headline_text = "moments of {tensors:count tensor}"
    remedy_text = "save only the model's state_dict, without the optimizer's"


class AverageStored(LeftoverTensors, frozen=True, kw_only=True):
    """An averaged copy of the weights is stored.

    What it means
        Training kept an exponential moving average (EMA) of the weights and saved it together with them.

    Why it matters
        Half of the file is not used, or the wrong half is: usually the average is the one to evaluate.

    Example
        warning[N422] average-stored: ema.*
          stored   291 tensors, 8,030,261,248 elements
          such as  ema.model.embed_tokens.weight
          help     keep one of the two: publish the average under the normal names, or
                   remove it

    What to do
        Keep one of the two: to publish the average, remove its prefix and the other weights.
    """

    code = "N422"
    severity = "warning"
    remedy_text = "keep one of the two: publish the average under the normal names, or remove it"

    def headline(self) -> str:
        return f"{self.prefix}*" if self.prefix else str(self.place.family)
