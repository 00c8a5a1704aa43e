"""Kosmos-2.5.

modeling_kosmos2_5.py: Pix2Struct's tower, patches projected and placed by row and column; Kosmos-2's bridge; the text's
MLP has a norm inside, its attention none; a table of two segments. Sinusoids are not stored. The head is tied by
default.
"""

from inspector.architectures.multimodal.kosmos2 import ATTENTION, LATENTS
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, dense, linear, scale, table

VISION_LAYERS = under("layer.{L}",
    part("attention.query",          "attention.query",  linear("d -> i")),
    part("attention.key",            "attention.key",    linear("d -> i")),
    part("attention.value",          "attention.value",  linear("d -> i")),
    part("attention.output",         "attention.output", linear("i -> d")),
    part("mlp.wi_0",                 "mlp.gate",         linear("d -> ff")),
    part("mlp.wi_1",                 "mlp.up",           linear("d -> ff")),
    part("mlp.wo",                   "mlp.down",         linear("ff -> d")),
    part("pre_attention_layer_norm", "norm.attention",   scale("d")),
    part("pre_mlp_layer_norm",       "norm.mlp",         scale("d")))
KOSMOS2_5_VISION = Architecture("kosmos_2_5_vision_model",
    dims=Dims(d="hidden_size", L="num_hidden_layers", i="num_attention_heads*head_dim", ff="intermediate_size",
              T="max_num_patches", p="patch_embed_hidden_size"),
    heads=(
        head("tower Model", "",
            part("embeddings.patch_projection", "embed.patch",           dense("p -> d")),
            part("embeddings.row_embedder",     "embed.position.row",    table("T d")),
            part("embeddings.column_embedder",  "embed.position.column", table("T d")),
            under("encoder", VISION_LAYERS),
            part("layernorm", "norm.final", scale("d"))),
        head("Encoder", "", VISION_LAYERS)))
KOSMOS2_5 = Architecture("kosmos-2.5",
    ties="text_config.tie_word_embeddings | true",
    dims=Dims(d="text_config.embed_dim", V="text_config.vocab_size", L="text_config.layers", ff="text_config.ffn_dim",
              v="vision.d"),
    parts=rows(
        submodel("vision", "vision_model.", KOSMOS2_5_VISION),
        LATENTS,
        under("text_model.model",
            part("embed_tokens", "embed.token",   table("V d")),
            part("segment_emb",  "embed.segment", table("2 d")),
            part("layer_norm",   "norm.final",    affine("d")),
            under("layers.{L}",
                under("self_attn", ATTENTION),
                part("self_attn_layer_norm", "norm.attention", affine("d")),
                part("ffn.fc1",              "mlp.up",         dense("d -> ff")),
                part("ffn.ffn_layernorm",    "norm.mlp.inner", affine("ff")),
                part("ffn.fc2",              "mlp.down",       dense("ff -> d")),
                part("final_layer_norm",     "norm.mlp",       affine("d"))))),
    heads=(
        head("ForConditionalGeneration", "",
             part("text_model.lm_head", "head.token", linear("d -> V"), tied="embed.token"), default=True),
        head("Model", "")),
    dialects=({}, {"text_model.model.": "text_model."}))
