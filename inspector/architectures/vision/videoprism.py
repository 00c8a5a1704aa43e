"""VideoPrism, SegGPT and Pixio: ViT's layers over videos, over pairs of pictures, and with several class tokens.

modeling_videoprism.py: the layers of space come before those of time; the pooling head is as wide inside as the MLP;
the text's positions are sinusoids that are stored. modeling_seggpt.py: every layer has tables of relative positions;
the decoder reads the outputs of `intermediate_hidden_state_indices` side by side; the head paints three channels.
modeling_pixio.py: a backbone has a norm of its own beside the model's.
"""

from inspector.architectures.vision.vision_blocks import HEAD_DIM, LAYERNORM, VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

LAYER = rows(                                  # a the width inside
    part("attention.q_proj", "attention.query",  linear("d -> a", bias="b")),
    part("attention.k_proj", "attention.key",    linear("d -> a", bias="b")),
    part("attention.v_proj", "attention.value",  linear("d -> a", bias="b")),
    part("attention.o_proj", "attention.output", dense("a -> d")),
    part("layernorm_before", "norm.attention",   affine("d")),
    part("layernorm_after",  "norm.mlp",         affine("d")),
    part("mlp.fc1",          "mlp.up",           dense("d -> ff")),
    part("mlp.fc2",          "mlp.down",         dense("ff -> d")))
POOLING = rows(                                # x the width of one of its heads
    under("head",
        part("per_dim_scale",           "head.scale",    param("x")),
        part("pooling_attention_query", "pooler.probe",  param("1 1 d")),
        part("q_proj",                  "pooler.query",  linear("d -> h*x", bias="b")),
        part("k_proj",                  "pooler.key",    linear("d -> h*x", bias="b")),
        part("v_proj",                  "pooler.value",  linear("d -> h*x", bias="b")),
        part("o_proj",                  "pooler.output", dense("h*x -> d"))),
    part("head_layernorm", "norm.pooler", affine("d")))
WIDTHS = Dims(d="hidden_size", h="num_attention_heads", a="h*(head_dim | d//h)", ff="intermediate_size", b="qkv_bias")
VIDEOPRISM_VISION = Architecture("videoprism_vision_model",
    dims=WIDTHS | Dims(c="num_channels", t="tubelet_size[0]", p="tubelet_size[1]", q="tubelet_size[2]",
                       g="(image_size[0]//p)*(image_size[1]//q)", F="num_frames", S="num_spatial_layers",
                       T="num_temporal_layers", U="num_auxiliary_layers", x="ff//h", C="labels"),
    parts=rows(
        part("layernorm1", "norm.final", affine("d")),
        part("layernorm2", "norm.final", affine("d")),
        part("spatial_embeddings.position_embeddings",         "embed.position",      param("1 g d")),
        part("spatial_embeddings.patch_embeddings.projection", "embed.patch",         conv("c -> d, t p q")),
        part("temporal_embeddings.position_embeddings",        "embed.position.time", param("1 F d")),
        under("spatial_layers.{S}", LAYER, tower="space"),
        under("temporal_layers.{T}", LAYER, tower="time")),
    heads=(
        head("VisionModel", ""),
        head("VideoModel", "vision_model.", under("auxiliary_layers.{U}", LAYER, tower="auxiliary"), POOLING),
        head("ForVideoClassification", "vision_model.", POOLING, part("classifier", "head.class", dense("d -> C")))))
VIDEOPRISM_TEXT = Architecture("videoprism_text_model", heads=(head("tower TextModel", ""),),
    dims=WIDTHS | Dims(V="vocab_size", L="num_hidden_layers", T="max_position_embeddings"),
    parts=rows(
        part("embeddings.cls_emb",            "embed.class",          param("1 1 d")),
        part("embeddings.position_embedding", "embed.position",       buffer("T d")),
        part("embeddings.position_ids",       "embed.position.index", buffer("1 T")),
        part("embeddings.token_embedding",    "embed.token",          table("V d")),
        under("layers.{L}", LAYER),
        LAYERNORM))
VIDEOPRISM = Architecture("videoprism", dims=Dims(), heads=(head("ClipModel", ""),),
    parts=rows(
        submodel("vision", "video_model.", VIDEOPRISM_VISION, head="VideoModel"),
        submodel("text",   "text_model.", VIDEOPRISM_TEXT)))

SEGGPT_PARTS = rows(
    part("embeddings.mask_token",                  "embed.mask",     param("1 1 1 d")),
    part("embeddings.segment_token_input",         "embed.segment",  param("1 1 1 d")),
    part("embeddings.segment_token_prompt",        "embed.segment",  param("1 1 1 d")),
    part("embeddings.type_token_semantic",         "embed.type",     param("1 1 1 d")),
    part("embeddings.type_token_instance",         "embed.type",     param("1 1 1 d")),
    part("embeddings.position_embeddings",         "embed.position", param("1 n d")),
    part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
    part("encoder.layernorm",                      "norm.final",     affine("d")),
    under("encoder.layers.{L}",
        rows(
            part("attention.rel_pos_h", "attention.bias.height", param("2*gh-1 dh")),
            part("attention.rel_pos_w", "attention.bias.width",  param("2*gw-1 dh")),
            when="use_relative_position_embeddings"),
        part("attention.qkv",       "attention.qkv",    linear("d -> d + d + d", packs="q k v", bias="qkv_bias")),
        part("attention.proj",      "attention.output", dense("d -> d")),
        part("mlp.lin1",            "mlp.up",           dense("d -> ff")),
        part("mlp.lin2",            "mlp.down",         dense("ff -> d")),
        part("layernorm_before",    "norm.attention",   affine("d")),
        part("layernorm_after",     "norm.mlp",         affine("d"))))
SEGGPT = Architecture("seggpt", parts=SEGGPT_PARTS, ignores="merge_index beta",
    dims=VISION | Dims(ff="mlp_dim | 4*d", dh="d//h", n="(pretrain_image_size//p)**2 + 1", e="decoder_hidden_size",
                       i="d*len(intermediate_hidden_state_indices)"),
    heads=(
        head("Model", ""),
        head("ForImageSegmentation", "model.",
            part("decoder.decoder_embed",          "head.project", dense("i -> p**2*e")),
            part("decoder.decoder_pred.conv",      "head.conv",    conv("e -> e, 3 3")),
            part("decoder.decoder_pred.layernorm", "norm.head",    affine("e")),
            part("decoder.decoder_pred.head",      "head.image",   conv("e -> 3, 1 1")))))

OLDER = {                                      # as transformers 5 saves them
    "*.attention.q_proj.": ".attention.attention.query.", "*.attention.k_proj.": ".attention.attention.key.",
    "*.attention.v_proj.": ".attention.attention.value.", "*.attention.o_proj.": ".attention.output.dense.",
    "*.layernorm_before.": ".norm1.", "*.layernorm_after.": ".norm2.",
    "*.mlp.fc1.": ".intermediate.dense.", "*.mlp.fc2.": ".output.dense."}
PIXIO = Architecture("pixio",
    dialects=({}, {"layers.": "encoder.layer.", **OLDER},
              {"pixio.": "encoder.", "pixio.layers.": "encoder.encoder.layer.", **OLDER}),
    ignores="out_features out_indices apply_layernorm reshape_hidden_states",
    dims=VISION | HEAD_DIM | Dims(n="n_cls_tokens", ff="floor(d*mlp_ratio)", b="qkv_bias"),
    parts=rows(
        part("embeddings.cls_token",                   "embed.class",    param("1 n d")),
        part("embeddings.position_embeddings",         "embed.position", param("1 g+n d")),
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
        under("layers.{L}", LAYER),
        LAYERNORM),
    heads=(
        head("Model", ""),
        head("Backbone", "pixio.", LAYERNORM)))
