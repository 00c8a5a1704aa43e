"""LFM3-VL: a tower of short convolutions over the picture and attention, a projector, LFM3's text.

modeling_lfm3_vl.py: the first two layers and every odd one are convolutions unless `layer_types` says otherwise; a
patch is one flat vector of `temporal_patch_size` frames; the projector's norm comes before the patches are merged.
"""

from inspector.architectures.blocks import W123
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, linear, scale

VISION_STATE_DICT = {  # names in memory under transformers 5
    "*patchifier.": "patch_embed.",
    "*.q_layernorm.": ".q_norm.",
    "*.k_layernorm.": ".k_norm.",
}
LFM3_VL_VISION = Architecture("lfm3_vl_vision", dialects=({}, VISION_STATE_DICT),
                              heads=(head("tower VisionModel", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads", dh="d//h",
              ff="intermediate_size", c="in_channels", t="temporal_patch_size", p="patch_size", k="conv_kernel_size",
              B="L[layer_types == 'conv'] when layer_types != null | L[{L} < 2 or {L} % 2 == 1]", A="L - B"),
    parts=rows(
        part("patchifier",     "embed.patch", linear("c*t*p**2 -> d")),
        part("embedding_norm", "norm.embed",  scale("d")),
        under("layers.{L}",
            part("operator_norm", "norm.attention", scale("d")),
            part("ffn_norm",      "norm.mlp",       scale("d")),
            under("feed_forward", W123)),
        under("layers.{A}.self_attn",
            part("q_proj",      "attention.query",  linear("d -> h*dh")),
            part("k_proj",      "attention.key",    linear("d -> kv*dh")),
            part("v_proj",      "attention.value",  linear("d -> kv*dh")),
            part("out_proj",    "attention.output", linear("h*dh -> d")),
            part("q_layernorm", "norm.query",       scale("dh")),
            part("k_layernorm", "norm.key",         scale("dh"))),
        under("layers.{B}.conv",
            part("in_proj",      "ssm.in",   linear("d -> d + d + d", packs="B C x")),
            part("spatial_conv", "ssm.conv", conv("d -> d, k k", groups="d", bias=False)),
            part("out_proj",     "ssm.out",  linear("d -> d")))))
LFM3_VL = Architecture("lfm3_vl", heads=BARE_MODEL, ties="tie_word_embeddings | true",
    dims=Dims(d="text.d", V="text.V", v="vision.d", s="vision_config.spatial_merge_size", q="projector_hidden_size",
              b="projector_bias"),
    dialects=({}, {**VISION_STATE_DICT, "*.self_attn.gate_proj": ".self_attn.g_proj"}),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", LFM3_VL_VISION),
        part("multi_modal_projector.layer_norm", "norm.bridge", affine("v")),
        part("multi_modal_projector.linear_1",   "bridge.in",   linear("v*s**2 -> q", bias="b")),
        part("multi_modal_projector.linear_2",   "bridge.out",  linear("q -> d", bias="b"))))
