"""Florence-2: a DaViT vision encoder and BART.

modeling_florence2.py: every stage begins with a convolution; with `patch_prenorm` its norm has the input width; a block
attends within windows and then across channels; the temporal positions are a buffer; the projection has no bias.
"""

from inspector.architectures.multimodal.joined_blocks import TIES
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, table

HALF = rows(
    part("conv1",   "resnet.conv.1",  conv("w -> w, 3 3", groups="w")),
    part("norm1",   "norm.attention", affine("w")),
    part("conv2",   "resnet.conv.2",  conv("w -> w, 3 3", groups="w")),
    part("norm2",   "norm.mlp",       affine("w")),
    part("ffn.fc1", "mlp.up",         dense("w -> floor(w*mlp_ratio)")),
    part("ffn.fc2", "mlp.down",       dense("floor(w*mlp_ratio) -> w")))
ATTENTION = rows(
    part("qkv",  "attention.qkv",    linear("w -> w + w + w", bias="qkv_bias", packs="q k v")),
    part("proj", "attention.output", dense("w -> w")))
FLORENCE_VISION = Architecture("florence_vision florence2_vision", heads=(head("tower Backbone", ""),),
    dims=Dims(c="in_channels", S="len(embed_dim)", B="depths[{S}]", w="embed_dim[{S}]", v="embed_dim[{S}-1] | c",
              k="patch_size[{S}]",
              d="embed_dim[S-1]", P="S[patch_prenorm]", N="S - P"),
    parts=rows(
        part("convs.{S}.conv", "embed.patch", conv("v -> w, k k")),
        part("convs.{P}.norm", "norm.embed",  affine("v")),
        part("convs.{N}.norm", "norm.embed",  affine("w")),
        under("blocks.{S}.{B}",
            under("spatial_block", HALF, under("window_attn", ATTENTION), tower="window"),
            under("channel_block", HALF, under("channel_attn", ATTENTION), tower="channel"))))
FLORENCE2 = Architecture("florence2", ties=TIES,
    dims=Dims(d="text.d", V="text.V", v="vision.d", q="vision_config.projection_dim",
              T="vision_config.max_position_embeddings",
              F="vision_config.max_temporal_embeddings"),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", FLORENCE_VISION),
        under("multi_modal_projector",
            part("image_projection",                        "bridge.out",           linear("v -> q")),
            part("image_proj_norm",                         "norm.bridge",          affine("q")),
            part("image_position_embed.row_embeddings",     "embed.position.row",    table("T v//2")),
            part("image_position_embed.column_embeddings",  "embed.position.column", table("T v-v//2")),
            part("visual_temporal_embed.pos_idx_to_embed",  "embed.position.time",   buffer("F v")), tower="bridge")),
    heads=(
        head("ForConditionalGeneration", "model.", part("lm_head", "head.token", linear("d -> V"), tied="embed.shared"),
             default=True),
        head("Model", ""),
        head("Model", "model.")))
