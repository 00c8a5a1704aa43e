"""Gemma 3n, Gemma 4 and EmbeddingGemma 2 with vision and audio, and their towers.

modeling_gemma3n.py: the vision tower is a network of the timm library that the config names; the two embedders have
little vocabularies of their own. modeling_gemma4.py: towers exist where their config is given; with
`use_clipped_linears` every linear of a tower has four 0-dimensional buffers, its bounds; the norm before an embedder's
projection has no weight. modeling_gemma4_unified.py: instead of towers patches and frames of samples are projected.
modeling_gemma4_assistant.py (a small text model that drafts for a larger one): every layer reads the keys and values of
the larger model; with `use_ordered_embeddings` tokens are sought by groups.
modeling_embedding_gemma2.py: Gemma 4's towers, and no head.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.multimodal.gemma4_towers import GEMMA4_AUDIO, GEMMA4_VISION
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, LANGUAGE_FIRST, SPELLINGS, TIES
from inspector.architectures.vision.mobilenetv5 import MOBILENETV5
from inspector.notation.definition import Architecture, Dims, head, opaque, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

FEED_FORWARD = rows(
    part("pre_layer_norm",  "norm.mlp",      scale("d")),
    part("ffw_layer_1",     "mlp.up",        linear("d -> 4*d")),
    part("ffw_layer_2",     "mlp.down",      linear("4*d -> d")),
    part("post_layer_norm", "norm.mlp.post", scale("d")))
GEMMA3N_AUDIO = Architecture("gemma3n_audio", heads=(head("tower Encoder Model", ""),),
    dims=Dims(d="hidden_size", L="conf_num_hidden_layers", h="conf_num_attention_heads", dh="d//h",
              k="conf_conv_kernel_size",
              x="sscp_conv_channel_size[0]", y="sscp_conv_channel_size[1]", s="sscp_conv_stride_size[0][1]",
              u="sscp_conv_stride_size[1][1]", f="input_feat_size", fx="(f + 2 - sscp_conv_kernel_size[0][1])//s + 1",
              fy="(fx + 2 - sscp_conv_kernel_size[1][1])//u + 1"),
    parts=rows(
        under("subsample_conv_projection",
            part("conv_0.conv", "embed.audio.1",
                 conv("1 -> x, sscp_conv_kernel_size[0][0] sscp_conv_kernel_size[0][1]", bias=False)),
            part("conv_0.norm", "norm.embed.1",       scale("x")),
            part("conv_1.conv", "embed.audio.2",
                 conv("x -> y, sscp_conv_kernel_size[1][0] sscp_conv_kernel_size[1][1]", bias=False)),
            part("conv_1.norm", "norm.embed.2",       scale("y")),
            part("input_proj_linear", "embed.project", linear("y*fy -> d"))),
        under("conformer.{L}",
            under("ffw_layer_start", FEED_FORWARD, tower="start"),
            under("ffw_layer_end",   FEED_FORWARD, tower="end"),
            part("attention.pre_attn_norm",      "norm.attention",      scale("d")),
            part("attention.post_norm",          "norm.attention.post", scale("d")),
            part("attention.attn.q_proj",        "attention.query",     linear("d -> h*dh")),
            part("attention.attn.k_proj",        "attention.key",       linear("d -> h*dh")),
            part("attention.attn.v_proj",        "attention.value",     linear("d -> h*dh")),
            part("attention.attn.per_dim_scale", "attention.scale",     param("dh")),
            part("attention.attn.relative_position_embedding.pos_proj", "attention.position", linear("d -> h*dh")),
            part("attention.post",               "attention.output",    linear("d -> d")),
            part("lconv1d.pre_layer_norm",       "norm.conv",           scale("d")),
            part("lconv1d.linear_start",         "resnet.in",           linear("d -> d + d", packs="input gate")),
            part("lconv1d.depthwise_conv1d",     "resnet.conv",         conv("d -> d, k", groups="d", bias=False)),
            part("lconv1d.conv_norm",            "norm.conv.post",      scale("d")),
            part("lconv1d.linear_end",           "resnet.out",          linear("d -> d")),
            part("norm",                         "norm.final",          scale("d")))))
EMBEDDER = rows(                               # v the width of the tower, W its vocabulary
    part("embedding",            "embed.token.extra", table("W v")),
    part("hard_embedding_norm",  "norm.embed.hard",   scale("v")),
    part("soft_embedding_norm",  "norm.embed.soft",   scale("v")),
    part("embedding_projection", "bridge.out",        linear("v -> d")))
TEXT = Dims(d="text.d", V="text.V")
GEMMA3N = Architecture("gemma3n", ties=TIES, heads=BARE_MODEL, dialects=SPELLINGS,
    dims=TEXT | Dims(mobile="vision_config.architecture == 'mobilenetv5_300m_enc'"),
    parts=rows(
        submodel("text",  "language_model.", head="Model"),
        submodel("audio", "audio_tower.", GEMMA3N_AUDIO),
        submodel("vision", "vision_tower.", MOBILENETV5, when="mobile"),
        opaque("vision_tower.", "a network of the timm library", when="not mobile"),
        under("embed_vision", EMBEDDER, v="vision_config.hidden_size", W="vision_config.vocab_size", tower="vision"),
        under("embed_audio",  EMBEDDER, v="audio.d", W="audio_config.vocab_size", tower="audio")))
GEMMA4 = Architecture("gemma4", ties=TIES, heads=BARE_MODEL, dims=TEXT, dialects=({}, LANGUAGE_FIRST),  # mlx-vlm's
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", GEMMA4_VISION, when="vision_config != null"),
        submodel("audio",  "audio_tower.",  GEMMA4_AUDIO,  when="audio_config != null"),
        part("embed_vision.embedding_projection", "bridge.vision", linear("vision.d -> d"),
             when="vision_config != null"),
        part("embed_audio.embedding_projection", "bridge.audio", linear("audio.o -> d"),
             when="audio_config != null")))
GEMMA4_UNIFIED_SAVED = {                       # transformers saves the names of the release
    "*embed_vision.patch_": "vision_embedder.patch_", "*embed_vision.pos_": "vision_embedder.pos_",
    "*embed_vision.multimodal_embedder.": "embed_vision."}
GEMMA4_UNIFIED = Architecture("gemma4_unified", ties=TIES, heads=BARE_MODEL,
    dialects=({}, GEMMA4_UNIFIED_SAVED), writers=("transformers in memory", "transformers"),
    dims=TEXT | Dims(
        pixels="3*(vision_config.patch_size*vision_config.pooling_kernel_size)**2", e="vision_config.mm_embed_dim",
        n="vision_config.mm_posemb_size", o="vision_config.output_proj_dims", a="audio_config.audio_embed_dim"),
    parts=rows(
        submodel("text", "language_model.", head="Model"),
        under("embed_vision",
            part("patch_ln1",     "norm.patch",     affine("pixels")),
            part("patch_dense",   "embed.patch",    dense("pixels -> e")),
            part("patch_ln2",     "norm.embed",     affine("e")),
            part("pos_embedding", "embed.position", param("n 2 e")),
            part("pos_norm",      "norm.position",  affine("e")),
            part("multimodal_embedder.embedding_projection", "bridge.vision", linear("o -> d")),
            when="vision_config != null"),
        part("embed_audio.embedding_projection", "bridge.audio", linear("a -> d"), when="audio_config != null")))
EMBEDDING_GEMMA2 = Architecture("embedding_gemma2", heads=(head("Model", ""),), dims=TEXT,
                                parts=GEMMA4.parts)
GEMMA4_ASSISTANT = Architecture("gemma4_assistant gemma4_unified_assistant", ties="tie_word_embeddings | true",
    ignores="centroid_intermediate_top_k",
    dims=TEXT | Dims(b="backbone_hidden_size", c="num_centroids"), heads=(head("ForCausalLM", "", LM_HEAD),),
    parts=rows(
        submodel("text", "model.", head="Model",
                 num_kv_shared_layers="text_config.num_hidden_layers"),
        part("pre_projection",  "bridge.in",  linear("b + b -> d")),
        part("post_projection", "bridge.out", linear("d -> b")),
        under("masked_embedding",
            part("centroids",      "head.centroid", linear("d -> c")),
            part("token_ordering", "head.order",    buffer("V")), when="use_ordered_embeddings")))
