"""Llama 3.2 with vision, Llama 4 with vision.

modeling_mllama.py: layers without bias in the attention, the global ones gated; tables of aspect ratios have one row
more than there are ratios; the head is not tied. modeling_llama4.py: patches come flat, so their embedding is a linear
over c*p*p inputs; the adapter and the projector have no bias; the head is
tied as the text config says, in transformers 4 and 5.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.multimodal.joined_blocks import SPELLINGS
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param, table

ATTENTION = rows(                              # b: bias
    part("input_layernorm",          "norm.attention",   affine("d")),
    part("self_attn.q_proj",         "attention.query",  linear("d -> q", bias="b")),
    part("self_attn.k_proj",         "attention.key",    linear("d -> q", bias="b")),
    part("self_attn.v_proj",         "attention.value",  linear("d -> q", bias="b")),
    part("self_attn.o_proj",         "attention.output", linear("q -> d", bias="b")),
    part("post_attention_layernorm", "norm.mlp",         affine("d")),
    part("mlp.fc1",                  "mlp.up",           dense("d -> ff")),
    part("mlp.fc2",                  "mlp.down",         dense("ff -> d")))
TILES = rows(
    part("embedding", "embed.tile",      table("r+1 T*d")),
    part("gate",      "embed.tile.gate", param("1")))
MLLAMA_VISION = Architecture("mllama_vision_model", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", G="num_global_layers", ff="intermediate_size", c="num_channels",
              h="attention_heads", q="h*(d//h)", p="patch_size", n="(image_size//p)**2 + 1", T="max_num_tiles",
              r="len(supported_aspect_ratios)"),
    parts=rows(
        part("patch_embedding", "embed.patch", conv("c -> d, p p", bias=False)),
        part("class_embedding", "embed.class", param("d")),
        part("gated_positional_embedding.embedding",      "embed.position",      param("n d")),
        part("gated_positional_embedding.gate",           "embed.position.gate", param("1")),
        part("gated_positional_embedding.tile_embedding", "embed.position.tile", table("r+1 T*n*d")),
        under("pre_tile_positional_embedding",  TILES, tower="before"),
        under("post_tile_positional_embedding", TILES, tower="after"),
        part("layernorm_pre",  "norm.embed", affine("d")),
        part("layernorm_post", "norm.final", affine("d")),
        under("transformer.layers.{L}", ATTENTION),
        under("global_transformer.layers.{G}", ATTENTION,
            part("gate_attn", "attention.gate", param("1")),
            part("gate_ffn",  "mlp.gate",       param("1")), tower="global")))
TEXT = Dims(d="text.d", V="text.V", o="vision_config.vision_output_dim")
HEADS = (
    head("ForConditionalGeneration", "model.", LM_HEAD, default=True),
    head("Model", "model."),
    head("Model", ""))
MLLAMA = Architecture("mllama", ties="text_config.tie_word_embeddings when transformers_version[0] == '4' | false",
                      dims=TEXT, heads=HEADS, dialects=SPELLINGS,
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_model.", MLLAMA_VISION),
        part("multi_modal_projector", "bridge.out", dense("o -> d"))))

LLAMA4_VISION = Architecture("llama4_vision_model", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", ff="intermediate_size", c="num_channels", p="patch_size",
              h="num_attention_heads", q="h*(d//h)", n="(image_size//p)**2 + 1",
              i="projector_input_dim", o="projector_output_dim"),
    parts=rows(
        part("patch_embedding.linear",     "embed.patch",    linear("c*p*p -> d")),
        part("class_embedding",            "embed.class",    param("d")),
        part("positional_embedding_vlm",   "embed.position", param("n d")),
        part("layernorm_pre",              "norm.embed",     affine("d")),
        part("layernorm_post",             "norm.final",     affine("d")),
        under("model.layers.{L}", rows(ATTENTION, b="true")),
        part("vision_adapter.mlp.fc1",     "merger.up",      linear("ff -> i")),
        part("vision_adapter.mlp.fc2",     "merger.down",    linear("o -> o"))))
LLAMA4 = Architecture("llama4", ties="text_config.tie_word_embeddings | false", dims=TEXT, dialects=SPELLINGS,
    heads=HEADS,
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_model.", LLAMA4_VISION),
        part("multi_modal_projector.linear_1", "bridge.out", linear("o -> d"))))
