"""Molmo 2: a tower without a class token, attention that pools patches, a gated projector, a text model.

modeling_molmo2.py: the pooling attention reads the outputs of several layers of the tower side by side; the text model
has `additional_vocab_size` tokens more than its head, which is never tied. The authors' files, and those that
transformers 5 writes, hold the embedding in two parts (the authors one for each vocabulary, transformers two halves; it
joins whatever it reads), q, k and v in one matrix, and up and gate in another. The authors' configs say `vit_layers`
and `image_num_pos`.
"""

from inspector.architectures.blocks import DECODER, GQA, PRE_NORMS
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, dense, linear, param, scale, table

VISION_NAMES = {                               # the authors'
    "layers.": "transformer.resblocks.", "*.layer_norm1.": ".attention_norm.", "*.layer_norm2.": ".ffn_norm.",
    "*.self_attn.q_proj.": ".attention.wq.", "*.self_attn.k_proj.": ".attention.wk.",
    "*.self_attn.v_proj.": ".attention.wv.", "*.self_attn.o_proj.": ".attention.wo.",
    "*.mlp.fc1.": ".feed_forward.w1.", "*.mlp.fc2.": ".feed_forward.w2."}
MOLMO2_VISION = Architecture("molmo2_vision", dialects=({}, VISION_NAMES), heads=(head("tower VisionModel", ""),),
    ignores="image_default_input_size",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d//h", ff="intermediate_size", c="num_channels", p="image_patch_size | patch_size",
              n="image_num_pos | num_position_embeddings | (image_size[0]//p)*(image_size[1]//p) | (378//p)**2",
              b="attention_bias"),
    parts=rows(
        part("positional_embedding", "embed.position", param("n d")),
        part("patch_embedding",      "embed.patch",    dense("p*p*c -> d")),
        under("layers.{L}",
            part("layer_norm1", "norm.attention", affine("d")),
            part("layer_norm2", "norm.mlp",       affine("d")),
            under("self_attn", GQA, bo="b"),
            part("mlp.fc1",     "mlp.up",         dense("d -> ff")),
            part("mlp.fc2",     "mlp.down",       dense("ff -> d")))))
ADAPTER_NAMES = {                              # the authors'
    "image_pooling_2d.q_proj.": "image_pooling_2d.wq.", "image_pooling_2d.k_proj.": "image_pooling_2d.wk.",
    "image_pooling_2d.v_proj.": "image_pooling_2d.wv.", "image_pooling_2d.o_proj.": "image_pooling_2d.wo.",
    "image_projector.gate_proj.": "image_projector.w1.", "image_projector.down_proj.": "image_projector.w2.",
    "image_projector.up_proj.": "image_projector.w3."}
MOLMO2_ADAPTER = Architecture("molmo2_adapter", dialects=({}, ADAPTER_NAMES), heads=(head("tower Adapter", ""),),
    dims=Dims(d="hidden_size", h="num_attention_heads", kv="num_key_value_heads | h", dh="head_dim | d//h",
              ff="intermediate_size", t="text_hidden_size", i="d*(len(vit_layers) | len(vision_feature_layer) | 2)",
              b="attention_bias"),
    parts=rows(
        under("image_pooling_2d",
            part("q_proj", "attention.query",  linear("i -> h*dh", bias="b")),
            part("k_proj", "attention.key",    linear("i -> kv*dh", bias="b")),
            part("v_proj", "attention.value",  linear("i -> kv*dh", bias="b")),
            part("o_proj", "attention.output", linear("h*dh -> d", bias="b"))),
        under("image_projector",
            part("gate_proj", "bridge.gate", linear("d -> ff", bias="mlp_bias")),
            part("up_proj",   "bridge.up",   linear("d -> ff", bias="mlp_bias")),
            part("down_proj", "bridge.down", linear("ff -> t")))))
TEXT_NAMES = {                                 # the authors'
    "*.self_attn.o_proj.": ".self_attn.attn_out.", "*.mlp.down_proj.": ".mlp.ff_out.",
    "*.input_layernorm.": ".attn_norm.", "*.post_attention_layernorm.": ".ff_norm."}
MOLMO2_TEXT = Architecture("molmo2_text", dialects=({}, TEXT_NAMES), heads=(head("Model", ""),),
    ignores="norm_after rope_scaling_layers",
    dims=DECODER | Dims(N="additional_vocab_size", b="attention_bias",
                        hq="h*dh when qk_norm_type != 'qwen3' | dh", hk="kv*dh when qk_norm_type != 'qwen3' | dh"),
    parts=rows(
        either(
            part("embed_tokens", "embed.token", table("V+N d")),
            rows(
                part("wte.embedding",     "embed.token",       param("rows_stored d")),
                part("wte.new_embedding", "embed.token.extra", param("V+N-rows_stored d")))),
        part("norm", "norm.final", scale("d")),
        under("layers.{L}", PRE_NORMS,
            under("self_attn",
                part("q_norm", "norm.query", scale("hq")),
                part("k_norm", "norm.key",   scale("hk")),
                either(
                    rows(
                        part("q_proj", "attention.query", linear("d -> h*dh",  bias="b")),
                        part("k_proj", "attention.key",   linear("d -> kv*dh", bias="b")),
                        part("v_proj", "attention.value", linear("d -> kv*dh", bias="b"))),
                    part("att_proj", "attention.qkv", linear("d -> h*dh + kv*dh + kv*dh", packs="q k v", bias="b"))),
                part("o_proj", "attention.output", linear("h*dh -> d"))),
            under("mlp",
                either(
                    rows(
                        part("gate_proj", "mlp.gate", linear("d -> ff")),
                        part("up_proj",   "mlp.up",   linear("d -> ff"))),
                    part("ff_proj", "mlp.gate_up", linear("d -> ff + ff", packs="up gate"))),
                part("down_proj", "mlp.down", linear("ff -> d"))))))
NAMES = {
    "model.language_model.layers.": "model.transformer.blocks.",
    "model.language_model.norm.": "model.transformer.ln_f.",
    "model.language_model.": "model.transformer.", "model.multi_modal_projector.": "model.vision_backbone.",
    "model.vision_tower.": "model.vision_backbone.image_vit."}
BARE_NAMES = {ours.removeprefix("model."): theirs.removeprefix("model.") for ours, theirs in NAMES.items()}
MOLMO2 = Architecture("molmo2", dims=Dims(d="text.d", V="text.V"), dialects=({}, NAMES, BARE_NAMES),
    heads=(
        head("ForConditionalGeneration", "model.", part("lm_head", "head.token", linear("d -> V")), default=True),
        head("Model", ""),
        head("Model", "model.")),
    parts=rows(
        submodel("text",    "language_model.", MOLMO2_TEXT),
        submodel("vision",  "vision_tower.", MOLMO2_VISION),
        submodel("adapter", "multi_modal_projector.", MOLMO2_ADAPTER)))
