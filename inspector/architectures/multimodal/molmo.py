"""Molmo: code of its own in each repository (github.com/allenai/molmo).

modeling_molmo.py there: OLMo's layers with q, k and v in one matrix and gate and up in another (`intermediate_size`
counts both), 128 rows of further tokens apart from the embedding, and the tower of CLIP ViT-L/14 at 336 pixels without
its last layer, whose sizes are in the code alone. Patches are pooled by attention of two layers' outputs side by side.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, dense, linear, param, scale

MOLMO_VISION = rows(                           # v: width
    part("pad_embed", "embed.pad.image", param("2 2*v")),
    under("image_vit",
        part("class_embedding",      "embed.class",    param("v")),
        part("positional_embedding", "embed.position", param("577 v")),
        part("patch_embedding",      "embed.patch",    linear("588 -> v")),
        part("pre_ln",               "norm.embed",     affine("v")),
        under("transformer.resblocks.{Lv}",
            part("attention_norm",  "norm.attention",   affine("v")),
            part("ffn_norm",        "norm.mlp",         affine("v")),
            part("attention.wq",    "attention.query",  dense("v -> v")),
            part("attention.wk",    "attention.key",    dense("v -> v")),
            part("attention.wv",    "attention.value",  dense("v -> v")),
            part("attention.wo",    "attention.output", dense("v -> v")),
            part("feed_forward.w1", "mlp.up",           dense("v -> 4*v")),
            part("feed_forward.w2", "mlp.down",         dense("4*v -> v")))),
    under("image_pooling_2d",
        part("wq", "pool.query",  dense("2*v -> v")),
        part("wk", "pool.key",    dense("2*v -> v")),
        part("wv", "pool.value",  dense("2*v -> v")),
        part("wo", "pool.output", dense("v -> v"))),
    under("image_projector",
        part("w1", "bridge.gate", linear("v -> ff")),
        part("w3", "bridge.up",   linear("v -> ff")),
        part("w2", "bridge.down", linear("ff -> d"))))
MOLMO = Architecture("molmo", ties="weight_tying | false",
    ignores="clip_qkv layer_norm_type norm_after tie_word_embeddings use_position_ids",
    heads=(head("ForCausalLM", "", part("model.transformer.ff_out", "head.token", linear("d -> V"),
                                        when="not weight_tying"), default=True),),
    dims=Dims(V="embedding_size | vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads",
              kv="num_key_value_heads | h", dh="d/h", ff="intermediate_size/2", v="1024", Lv="23"),
    parts=under("model",
        under("transformer",
            part("wte.embedding",     "embed.token",       param("V d")),
            part("wte.new_embedding", "embed.token.extra", param("128 d")),
            part("ln_f",              "norm.final",        scale("d")),
            under("blocks.{L}",
                part("attn_norm", "norm.attention",   scale("d")),
                part("ff_norm",   "norm.mlp",         scale("d")),
                part("att_proj",  "attention.qkv",    linear("d -> d + kv*dh + kv*dh", bias="qkv_bias", packs="q k v")),
                part("q_norm",    "norm.query",       scale("d"), when="attention_layer_norm"),
                part("k_norm",    "norm.key",         scale("kv*dh"), when="attention_layer_norm"),
                part("attn_out",  "attention.output", linear("d -> d")),
                part("ff_proj",   "mlp.gate_up",      linear("d -> ff + ff", packs="up gate")),
                part("ff_out",    "mlp.down",         linear("ff -> d")))),
        under("vision_backbone", MOLMO_VISION, tower="vision")))
