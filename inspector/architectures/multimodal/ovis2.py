"""Ovis 2: a vision tower that ends in a visual vocabulary.

modeling_ovis2.py: the tower's head is narrower than the visual vocabulary by the indicator tokens, and reads
`hidden_stride` squared patches at once; the table of visual embeddings has the whole vocabulary
and, as the head, the top config's `hidden_size`.
"""

from inspector.architectures.blocks import SWIGLU
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, TIES
from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, linear, scale, table

OVIS2_VISION = Architecture("ovis2_vision", heads=(head("tower Model", ""),),
    dims=VISION | Dims(b="qkv_bias", W="vocab_size - num_visual_indicator_tokens", s="hidden_stride"),
    parts=rows(
        under("transformer",
            part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw")),
            part("embeddings.position_embedding", "embed.position", table("g d")),
            part("embeddings.rms_norm",           "norm.embed",     scale("d")),
            part("rms_norm",                      "norm.final",     scale("d")),
            under("encoder.layers.{L}",
                part("rms_norm1",          "norm.attention",   scale("d")),
                part("rms_norm2",          "norm.mlp",         scale("d")),
                part("attention.q_proj",   "attention.query",  linear("d -> d", bias="b")),
                part("attention.k_proj",   "attention.key",    linear("d -> d", bias="b")),
                part("attention.v_proj",   "attention.value",  linear("d -> d", bias="b")),
                part("attention.out_proj", "attention.output", linear("d -> d", bias="b")),
                under("ffn", SWIGLU, b="mlp_bias"))),
        part("head_linear", "head.token", linear("d*s*s -> W")),
        part("head_norm",   "norm.head",  affine("W"))))
OVIS2 = Architecture("ovis2", ties=TIES,
                     dims=Dims(d="hidden_size | text.d", V="vocab_size | text.V", W="vision_config.vocab_size"),
                     heads=BARE_MODEL,
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", OVIS2_VISION),
        part("visual_embeddings_table", "embed.image", table("W d"))))
