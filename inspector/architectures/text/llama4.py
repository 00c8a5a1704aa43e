"""Llama 4 (text).

modeling_llama4.py: sparse layers are those of `moe_layers`, else every `interleave_moe_layer_step`-th counting from 1.
`intermediate_size` is the width of the experts and the shared expert, `intermediate_size_mlp` that of dense layers.
Experts are stacked and stored [in, out]; apart where compressed-tensors or bitsandbytes quantized them, for which
transformers builds them so (quantizers/base.py). The norm of queries and keys has no weight. transformers 4
sets `attention_bias` to false whatever the config says.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS, SHARED, STACKED_IO, SWIGLU, SWITCH
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import linear

LLAMA4_TEXT = Architecture("llama4_text", heads=CAUSAL,
    dims=DECODER | Dims(E="num_local_experts", fd="intermediate_size_mlp", step="interleave_moe_layer_step | 1",
              M="L & moe_layers | L[step-1::step]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("layers.{D}.feed_forward", SWIGLU, ff="fd"),
        under("layers.{M}.feed_forward",
            part("router", "router", linear("d -> E")),
            under("shared_expert", SHARED),
            either(
                under("experts", STACKED_IO),
                either(under("experts.{E}", SWIGLU), under("experts", SWITCH))))))     # MLX's stacks
