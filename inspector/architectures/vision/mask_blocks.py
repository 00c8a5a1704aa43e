"""Blocks that SAM and SAM 2 share: what embeds a mask, what decodes one (modeling_sam.py, modeling_sam2.py)."""

from inspector.notation.definition import part, rows
from inspector.notation.kinds import affine, conv, conv_t, dense, table

SMALL = rows(                                  # a network from m to o through w, with inner layers K
    part("proj_in",    "mlp.in",    dense("m -> w")),
    part("layers.{K}", "mlp.inner", dense("w -> w")),
    part("proj_out",   "mlp.out",   dense("w -> o")))
PROMPTS = rows(                                # r channels inside, e out
    part("not_a_point_embed",      "embed.no_point", table("1 e")),
    part("no_mask_embed",          "embed.no_mask",  table("1 e")),
    part("mask_embed.conv1",       "resnet.conv.1",  conv("1 -> r//4, 2 2")),
    part("mask_embed.conv2",       "resnet.conv.2",  conv("r//4 -> r, 2 2")),
    part("mask_embed.conv3",       "resnet.conv.3",  conv("r -> e, 1 1")),
    part("mask_embed.layer_norm1", "norm.mask.1",    affine("r//4")),
    part("mask_embed.layer_norm2", "norm.mask.2",    affine("r//4*4")))
TOKENS = rows(                                 # M masks
    part("iou_token",   "embed.iou",  table("1 m")),
    part("mask_tokens", "embed.mask", table("M m")))
LAYER_NORMS = rows(
    part("layer_norm1", "norm.attention",   affine("m")),
    part("layer_norm2", "norm.cross",       affine("m")),
    part("layer_norm3", "norm.mlp",         affine("m")),
    part("layer_norm4", "norm.cross.image", affine("m")))
UPSCALING = rows(
    part("transformer.layer_norm_final_attn", "norm.final",   affine("m")),
    part("upscale_conv1",                     "head.image.1", conv_t("m -> m//4, 2 2")),
    part("upscale_conv2",                     "head.image.2", conv_t("m//4 -> m//8, 2 2")),
    part("upscale_layer_norm",                "norm.head",    affine("m//4")))
