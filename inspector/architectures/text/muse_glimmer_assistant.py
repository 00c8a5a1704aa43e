"""The assistant of Muse Glimmer: layers that denoise a block of tokens, with the states of some layers of the model.

modeling_muse_glimmer_assistant.py: no embedding and no head of its own, those of the model serve; `encoder.fc` reads
the states of the layers in `target_layer_ids` side by side. Norms of query and key in each head.
"""

from inspector.architectures.blocks import DECODER, GQA, PRE_NORMS, QK_NORM, SWIGLU
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import linear, scale

MUSE_GLIMMER_ASSISTANT = Architecture("muse_glimmer_assistant", heads=(head("Model", ""),),
    ignores="block_size mask_token_id layer_types sliding_window",
    dims=DECODER | Dims(n="len(target_layer_ids)"),
    parts=rows(
        part("encoder.fc",              "project.states",      linear("n*d -> d")),
        part("encoder.output_norm_enc", "norm.project.states", scale("d")),
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, QK_NORM),
        under("layers.{L}.mlp", SWIGLU),
        part("norm", "norm.final", scale("d"))))
