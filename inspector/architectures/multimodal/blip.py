"""BLIP, BLIP-2 and InstructBLIP.

modeling_blip_2.py: positions and class token are bare; q, k and v are fused; the query former attends to the picture in
every `cross_attention_frequency`-th layer from 0 on, with keys and values of the vision's width; the text branch of a
layer exists only with `use_qformer_text_input`, in InstructBLIP always. The joined classes set the
`encoder_hidden_size` of the part that attends to the picture to the vision's width, whatever it says. The text model is
OPT or T5, as its `model_type` says. modeling_blip.py: the text is BERT, its decoder's head is tied to the embedding.
"""

from inspector.architectures.multimodal.joined_blocks import TIED_BY_EITHER
from inspector.architectures.text.opt import OPT
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

VISION_DIMS = Dims(d="hidden_size", L="num_hidden_layers", ff="intermediate_size", c="num_channels | 3", p="patch_size",
                   n="(image_size//p)**2 + 1")
BLIP_VISION_PARTS = rows(
    part("embeddings.class_embedding",    "embed.class",    param("1 1 d")),
    part("embeddings.position_embedding", "embed.position", param("1 n d")),
    part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p p")),
    under("encoder.layers.{L}",
        part("self_attn.qkv",        "attention.qkv",    linear("d -> d + d + d", bias="b", packs="q k v")),
        part("self_attn.projection", "attention.output", dense("d -> d")),
        part("layer_norm1",          "norm.attention",   affine("d")),
        part("layer_norm2",          "norm.mlp",         affine("d")),
        part("mlp.fc1",              "mlp.up",           dense("d -> ff")),
        part("mlp.fc2",              "mlp.down",         dense("ff -> d"))),
    part("post_layernorm", "norm.final", affine("d")))
BLIP_VISION = Architecture("blip_vision_model", dims=VISION_DIMS, parts=rows(BLIP_VISION_PARTS, b="true"),
                           heads=(head("tower Model", ""),))
BLIP_2_VISION = Architecture("blip_2_vision_model instructblip_vision_model instructblipvideo_vision_model",
    dims=VISION_DIMS | Dims(b="qkv_bias | true"), parts=BLIP_VISION_PARTS, heads=(head("tower Model", ""),))
ATTENTION = rows(                              # e the width of what keys and values read
    part("attention.query",  "attention.query",  dense("d -> d")),
    part("attention.key",    "attention.key",    dense("d -> d")),
    part("attention.value",  "attention.value",  dense("d -> d")),
    maybe("attention.distance_embedding", "attention.position", table("2*T-1 d/h"), when="distances"),
    part("output.dense",     "attention.output", dense("d -> d")),
    part("output.LayerNorm", "norm.attention",   affine("d")))
CROSS = rows(
    part("attention.query",  "cross.query",  dense("d -> d")),
    part("attention.key",    "cross.key",    dense("e -> d")),
    part("attention.value",  "cross.value",  dense("e -> d")),
    maybe("attention.distance_embedding", "cross.position", table("2*T-1 d/h"), when="distances"),
    part("output.dense",     "cross.output", dense("d -> d")),
    part("output.LayerNorm", "norm.cross",   affine("d")))
QUERY_BRANCH = rows(
    part("intermediate_query.dense", "mlp.query.up",   dense("d -> ff")),
    part("output_query.dense",       "mlp.query.down", dense("ff -> d")),
    part("output_query.LayerNorm",   "norm.mlp.query", affine("d")))
TEXT_BRANCH = rows(
    part("intermediate.dense", "mlp.up",   dense("d -> ff")),
    part("output.dense",       "mlp.down", dense("ff -> d")),
    part("output.LayerNorm",   "norm.mlp", affine("d")))
QFORMER_DIMS = Dims(V="vocab_size", T="max_position_embeddings", d="hidden_size", L="num_hidden_layers",
                    ff="intermediate_size",
                    e="encoder_hidden_size", X="L[::cross_attention_frequency]", h="num_attention_heads",
                    distances="position_embedding_type in 'relative_key relative_key_query'")
QFORMER = Architecture("blip_2_qformer", dims=QFORMER_DIMS, heads=(head("tower Model", ""),),
    parts=rows(
        part("layernorm", "norm.embed", affine("d")),
        under("encoder.layer.{L}", under("attention", ATTENTION), QUERY_BRANCH),
        under("encoder.layer.{L}", TEXT_BRANCH, when="use_qformer_text_input"),
        under("encoder.layer.{X}.crossattention", CROSS)))
INSTRUCT_QFORMER = Architecture("instructblip_qformer instructblipvideo_qformer", dims=QFORMER_DIMS,
                                heads=(head("tower Model", ""),),
    parts=rows(
        part("embeddings.word_embeddings",     "embed.token",    table("V d")),
        part("embeddings.position_embeddings", "embed.position", table("T d")),
        maybe("embeddings.position_ids",       "embed.position.index", buffer("1 T")),
        part("embeddings.layernorm",           "norm.embed",     affine("d")),
        under("encoder.layer.{L}", under("attention", ATTENTION), QUERY_BRANCH, TEXT_BRANCH),
        under("encoder.layer.{X}.crossattention", CROSS)))
BRIDGE = Dims(v="vision.d", q="qformer.d", t="text_config.hidden_size | text_config.d_model", n="num_query_tokens",
              Q="image_text_hidden_size", V="qformer_config.vocab_size", T="qformer_config.max_position_embeddings")
LANGUAGE = rows(
    submodel("text", "language_model.", OPT, head="ForCausalLM ForConditionalGeneration", by_type=True),
    part("language_projection", "bridge.out", dense("q -> t")))
QUERIES = part("query_tokens", "embed.query", param("1 n q"))
EYES = submodel("vision", "vision_model.", BLIP_2_VISION)
FORMER = submodel("qformer", "qformer.", QFORMER, encoder_hidden_size="vision.d")
WORDS = rows(
    part("embeddings.word_embeddings",     "embed.token",    table("V q")),
    part("embeddings.position_embeddings", "embed.position", table("T q")))
VISION_PROJECTION = part("vision_projection", "head.project.image", dense("q -> Q"))
TEXT_PROJECTION = part("text_projection", "head.project.text", dense("q -> Q"))
BLIP_2 = Architecture("blip-2", dims=BRIDGE, parts=rows(QUERIES, FORMER),
    heads=(
        head("ForConditionalGeneration",  "", EYES, LANGUAGE, default=True),
        head("Model",                     "", EYES, LANGUAGE),
        head("VisionModelWithProjection", "", EYES, VISION_PROJECTION),
        head("TextModelWithProjection",   "", WORDS, TEXT_PROJECTION),
        head("ForImageTextRetrieval",     "", EYES, WORDS, VISION_PROJECTION, TEXT_PROJECTION,
            part("itm_head", "head.match", dense("q -> 2")))))
INSTRUCTBLIP = Architecture("instructblip instructblipvideo", dims=BRIDGE,
    parts=rows(
        QUERIES,
        submodel("vision",  "vision_model.", BLIP_2_VISION),
        submodel("qformer", "qformer.", INSTRUCT_QFORMER, encoder_hidden_size="vision.d"),
        LANGUAGE),
    heads=(head("ForConditionalGeneration", "", default=True), head("Model", "")))

BLIP_TEXT = Dims(d="text_config.hidden_size", L="text_config.num_hidden_layers", ff="text_config.intermediate_size",
                 V="text_config.vocab_size", T="text_config.max_position_embeddings", e="vision.d",
                 v="vision.d", q="projection_dim", Q="image_text_hidden_size")
BLIP_LAYER = rows(
    under("attention",
        part("self.query",       "attention.query",  dense("d -> d")),
        part("self.key",         "attention.key",    dense("d -> d")),
        part("self.value",       "attention.value",  dense("d -> d")),
        part("output.dense",     "attention.output", dense("d -> d")),
        part("output.LayerNorm", "norm.attention",   affine("d"))),
    under("crossattention",
        part("self.query",       "cross.query",      dense("d -> d")),
        part("self.key",         "cross.key",        dense("e -> d")),
        part("self.value",       "cross.value",      dense("e -> d")),
        part("output.dense",     "cross.output",     dense("d -> d")),
        part("output.LayerNorm", "norm.cross",       affine("d"))),
    TEXT_BRANCH)
BLIP_BODY = rows(
    part("embeddings.word_embeddings",     "embed.token",    table("V d")),
    part("embeddings.position_embeddings", "embed.position", table("T d")),
    maybe("embeddings.position_ids",       "embed.position.index", buffer("1 T")),
    part("embeddings.LayerNorm",           "norm.embed",     affine("d")),
    under("encoder.layer.{L}", BLIP_LAYER))
BLIP_DECODER = under("text_decoder",
    under("bert", BLIP_BODY),
    under("cls.predictions",
        part("transform.dense",     "head.dense",      dense("d -> d")),
        part("transform.LayerNorm", "norm.head",       affine("d")),
        part("bias",                "head.token.bias", param("V")),
        part("decoder",             "head.token",      linear("d -> V"), tied="embed.token"),
        maybe("decoder.bias",       "head.token.bias.copy", param("V"), tied="head.token.bias",
              ties=f"transformers_version[0] == '4' or ({TIED_BY_EITHER})")), tower="decoder")
POOLER = part("pooler.dense", "pooler", dense("d -> d"))
BLIP = Architecture("blip", dims=BLIP_TEXT,
    ties=TIED_BY_EITHER,
    parts=submodel("vision", "vision_model.", BLIP_VISION),
    heads=(
        head("ForConditionalGeneration", "", BLIP_DECODER, default=True),
        head("ForQuestionAnswering",     "", BLIP_DECODER, under("text_encoder", BLIP_BODY, tower="text")),
        head("ForImageTextRetrieval",    "", under("text_encoder", BLIP_BODY, tower="text"),
            part("vision_proj", "head.project.image", dense("v -> Q")),
            part("text_proj",   "head.project.text",   dense("d -> Q")),
            part("itm_head",    "head.match",          dense("d -> 2"))),
        head("Model", "", under("text_model", BLIP_BODY, POOLER, tower="text"),
            part("logit_scale",       "head.scale",          param("")),
            part("visual_projection", "head.project.image", linear("v -> q")),
            part("text_projection",   "head.project.text",   linear("d -> q")))))
