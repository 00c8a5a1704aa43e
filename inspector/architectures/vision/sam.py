"""SAM, SAM-HQ and their vision tower, which GOT-OCR 2 has too.

modeling_sam.py: the tables of relative positions reach over the whole grid in the layers of `global_attn_indexes` and
over one window elsewhere; the attention inside the mask decoder's layers is half as wide, but for the self attention,
and only the last one's width follows `attention_downsample_rate`; the head of the IoU and the small networks have depth
- 2 inner layers; transposed convolutions are stored [in, out, k, k].
`shared_image_embedding.positional_embedding` is a parameter in transformers 5 and a buffer in 4, and
`prompt_encoder.shared_embedding` is its copy.
modeling_sam_hq.py: one token and one small network more, which read an early map of the vision tower, of `vit_dim`
channels.
"""

from inspector.architectures.vision.mask_blocks import LAYER_NORMS, PROMPTS, SMALL, TOKENS, UPSCALING
from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, conv_t, dense, linear, param, table

SAM_LAYER = rows(
    part("attn.qkv",    "attention.qkv",    linear("d -> d + d + d", bias="qkv_bias", packs="q k v")),
    part("attn.proj",   "attention.output", dense("d -> d")),
    part("layer_norm1", "norm.attention",   affine("d")),
    part("layer_norm2", "norm.mlp",         affine("d")),
    part("mlp.lin1",    "mlp.up",           dense("d -> ff")),
    part("mlp.lin2",    "mlp.down",         dense("ff -> d")))
RELATIVE = rows(                               # y by x positions
    part("attn.rel_pos_h", "attention.bias.height", param("2*y-1 dh")),
    part("attn.rel_pos_w", "attention.bias.width",  param("2*x-1 dh")), when="use_rel_pos")
SAM_VISION = Architecture("sam_vision_model got_ocr2_vision sam_hq_vision_model pp_chart2table_vision", ignores="scale",
    dims=VISION | Dims(ff="mlp_dim | floor(d*mlp_ratio)", dh="d//h", o="output_channels", w="window_size",
                       G="L & global_attn_indexes", W="L - G"),
    heads=(head("tower", ""), head("Model", "vision_encoder.")),
    parts=rows(
        part("patch_embed.projection", "embed.patch",    conv("c -> d, p pw")),
        part("pos_embed",              "embed.position", param("1 gh gw d"), when="use_abs_pos"),
        under("layers.{L}", SAM_LAYER),
        under("layers.{G}", RELATIVE, y="gh", x="gw"),
        under("layers.{W}", RELATIVE, y="w", x="w"),
        part("neck.conv1",             "resnet.conv.1",  conv("d -> o, 1 1", bias=False)),
        part("neck.layer_norm1",       "norm.neck",      affine("o")),
        part("neck.conv2",             "resnet.conv.2",  conv("o -> o, 3 3", bias=False)),
        part("neck.layer_norm2",       "norm.neck",      affine("o"))))
ATTENTION = rows(                              # a the width inside
    part("q_proj",   "attention.query",  dense("m -> a")),
    part("k_proj",   "attention.key",    dense("m -> a")),
    part("v_proj",   "attention.value",  dense("m -> a")),
    part("out_proj", "attention.output", dense("a -> m")))
SAM_DIMS = Dims(
    d="vision.d", m="mask_decoder_config.hidden_size", Ld="mask_decoder_config.num_hidden_layers",
    fd="mask_decoder_config.mlp_dim", a="m//mask_decoder_config.attention_downsample_rate",
    M="mask_decoder_config.num_multimask_outputs + 1", q="mask_decoder_config.iou_head_hidden_dim",
    I="mask_decoder_config.iou_head_depth - 2", H="1", e="prompt_encoder_config.hidden_size",
    r="prompt_encoder_config.mask_input_channels", P="prompt_encoder_config.num_point_embeddings",
    f="vision_config.num_pos_feats", old="transformers_version[0] == '4'")
SAM_PARTS = rows(
    part("shared_image_embedding.positional_embedding", "embed.position.shared", param("2 f"),  when="not old"),
    part("shared_image_embedding.positional_embedding", "embed.position.shared", buffer("2 f"), when="old"),
    maybe("prompt_encoder.shared_embedding.positional_embedding", "embed.position.prompt", param("2 f"),
          tied="embed.position.shared", ties="old or (tie_word_embeddings | true)"),
    submodel("vision", "vision_encoder.", SAM_VISION),
    under("prompt_encoder",
        part("point_embed.{P}",         "embed.point",      table("1 e")),
        PROMPTS, tower="prompt"),
    under("mask_decoder",
        TOKENS,
        under("transformer.layers.{Ld}",
            rows(under("self_attn", ATTENTION), a="m"),
            rows(
                under("cross_attn_token_to_image", ATTENTION, tower="decoder.token_to_image"),
                under("cross_attn_image_to_token", ATTENTION, tower="decoder.image_to_token"), a="m//2"),
            LAYER_NORMS,
            part("mlp.lin1",    "mlp.up",              dense("m -> fd")),
            part("mlp.lin2",    "mlp.down",            dense("fd -> m"))),
        under("transformer.final_attn_token_to_image", ATTENTION, tower="decoder.final"),
        UPSCALING,
        under("output_hypernetworks_mlps.{M}", SMALL, w="m", o="m//8", K="H", tower="decoder.masks"),
        under("iou_prediction_head",           SMALL, w="q", o="M", K="I", tower="decoder.iou"), tower="decoder"))
SAM = Architecture("sam", dims=SAM_DIMS, parts=SAM_PARTS, heads=(head("Model", ""),))
SAM_HQ = Architecture("sam_hq", dims=SAM_DIMS | Dims(v="mask_decoder_config.vit_dim"),
    parts=rows(
        SAM_PARTS,
        under("mask_decoder",
            part("hq_token",           "embed.hq",        table("1 m")),
            under("hq_mask_mlp", SMALL, w="m", o="m//8", K="H", tower="decoder.hq"),
            part("compress_vit_conv1", "head.hq.vit.conv",     conv_t("v -> m, 2 2")),
            part("compress_vit_norm",  "norm.hq.vit",     affine("m")),
            part("compress_vit_conv2", "head.hq.vit.conv",     conv_t("m -> m//8, 2 2")),
            part("encoder_conv1",      "head.hq.image.conv", conv_t("m -> m//4, 2 2")),
            part("encoder_norm",       "norm.hq.image",   affine("m//4")),
            part("encoder_conv2",      "head.hq.image.conv", conv_t("m//4 -> m//8, 2 2")),
            part("mask_conv1",         "head.hq.mask.conv",    conv("m//8 -> m//4, 3 3")),
            part("mask_norm",          "norm.hq.mask",    affine("m//4")),
            part("mask_conv2",         "head.hq.mask.conv",    conv("m//4 -> m//8, 3 3")), tower="decoder")),
    heads=(head("Model", ""),))
