"""Tensors that training tools leave in a checkpoint, and padding of the vocabulary."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, number


class LeftoverTensors(Finding, frozen=True, kw_only=True):
    """Tensors of a training tool. names: the first of them. prefix: of averaged weights."""

    tensors: int
    elements: int
    bytes: int
    names: tuple[str, ...]
    prefix: str | None

    def rows(self) -> Rows:
        return [
            ("stored", f"{count(self.tensors, 'tensor')}, {number(self.elements)} elements"),
            ("such as", self.names[0]),
        ]


class VocabularyPadded(Finding, frozen=True, kw_only=True):
    """The vocabulary has more rows than the config says.

    What it means
        The writer rounds the vocabulary up to a multiple, so that it can be cut into equal parts. The rows at
        the end belong to no token.

    Why it matters
        Nothing is wrong; a converter cuts the rows off. They are parameters of this checkpoint and are counted.

    Example
        note[N418] vocabulary-padded: 32,256 rows for 32,000 tokens
          padding  256 rows, 2,097,152 parameters

    What to do
        Nothing. Converted to transformers, the checkpoint has that many parameters less.
    """

    code = "N418"
    name = "vocabulary-padded"
    severity = "note"

    vocabulary_rows: int = msgspec.field(name="rows")
    vocabulary: int
    padding: int
    parameters: int

    def headline(self) -> str:
        return f"{number(self.vocabulary_rows)} rows for {number(self.vocabulary)} tokens"

    def rows(self) -> Rows:
        return [("padding", f"{number(self.padding)} rows, {number(self.parameters)} parameters")]


class ExtraStateStored(LeftoverTensors, frozen=True, kw_only=True):
    """Modules saved state of their own that is no weight.

    What it means
        `_extra_state` is what a module's `get_extra_state` gives: Transformer Engine's fp8 scales, packed as bytes.

    Why it matters
        It is no parameter; loaders without that module report it as unexpected.

    Example
        note[N419] extra-state-stored: _extra_state of 32 modules
          stored   32 tensors, 12,032 elements
          such as  model.layers.0.self_attn.q_proj._extra_state
          help     leave it out when the model is published: it is not needed to load
                   the weights

    What to do
        Leave it out of what is published.
    """

    code = "N419"
    name = "extra-state-stored"
    severity = "note"

    def headline(self) -> str:
        return f"_extra_state of {count(self.tensors, 'module')}"

    def remedy(self) -> Remedy:
        return Remedy("leave it out when the model is published: it is not needed to load the weights")


class FlatParameters(LeftoverTensors, frozen=True, kw_only=True):
    """The weights are FSDP's flat parameters.

    What it means
        FSDP joins the parameters of a block into one flat vector, padded, and that is what was saved.

    Why it matters
        Names and shapes are gone: no loader of models reads them, and their sizes are not the model's.

    Example
        error[N420] flat-parameters: 1 flat vector
          stored   1 tensor, 8,030,261,248 elements
          such as  _fsdp_wrapped_module._flat_param
          help     save again with StateDictType.FULL_STATE_DICT:
                   FullyShardedDataParallel.state_dict_type sets it

    What to do
        Save with `StateDictType.FULL_STATE_DICT`, or with FSDP2, which keeps names.
    """

    code = "N420"
    name = "flat-parameters"

    def headline(self) -> str:
        return count(self.tensors, "flat vector")

    def remedy(self) -> Remedy:
        return Remedy("save again with StateDictType.FULL_STATE_DICT: FullyShardedDataParallel.state_dict_type sets it")


class OptimizerStateStored(LeftoverTensors, frozen=True, kw_only=True):
    """An optimizer's state is stored among the weights.

    What it means
        Moments such as `exp_avg` and `exp_avg_sq` are beside the weights that they belong to.

    Why it matters
        They are twice as large as the weights and nobody needs them to use the model.

    Example
        warning[N421] optimizer-state-stored: moments of 32 tensors
          stored   32 tensors, 536,870,912 elements
          such as  model.layers.0.self_attn.q_proj.weight.exp_avg
          help     save the model's state_dict alone, without the optimizer's

    What to do
        Save the model's state dict alone.
    """

    code = "N421"
    name = "optimizer-state-stored"
    severity = "warning"

    def headline(self) -> str:
        return f"moments of {count(self.tensors, 'tensor')}"

    def remedy(self) -> Remedy:
        return Remedy("save the model's state_dict alone, without the optimizer's")


class AverageStored(LeftoverTensors, frozen=True, kw_only=True):
    """An averaged copy of the weights is stored beside them.

    What it means
        Training kept an exponential moving average of the weights (EMA), and it was saved with them.

    Why it matters
        Half of the file is not loaded, or the wrong half is: the average is usually what is evaluated.

    Example
        warning[N422] average-stored: ema.*
          stored   291 tensors, 8,030,261,248 elements
          such as  ema.model.embed_tokens.weight
          help     keep one of the two: publish the average under the plain names, or
                   drop it

    What to do
        Keep one of the two: to publish the average take its prefix off and drop the others.
    """

    code = "N422"
    name = "average-stored"
    severity = "warning"

    def headline(self) -> str:
        return f"{self.prefix}*" if self.prefix else str(self.place.family)

    def remedy(self) -> Remedy:
        return Remedy("keep one of the two: publish the average under the plain names, or drop it")
