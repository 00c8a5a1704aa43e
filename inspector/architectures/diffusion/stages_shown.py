"""Where the weights of a network of stages show its config: UNets, ControlNets and the autoencoders beside them.

unet_2d_condition.py: heads are no part of any shape as long as they divide the width. A stage of transformers has
`attn2`, which reads the text. Depths of the middle are those of the last stage.
"""

from inspector.notation.shown import (
    Shown,
    dim,
    dim_or_dims,
    dim_or_null,
    dims,
    flat,
    listed,
    neutral,
    numbers,
    there,
    unlike,
    word,
    words,
)


def _each(pattern: str, tails: str) -> str:
    """Keys of one module: the pattern with each tail."""
    return " ".join(pattern + tail for tail in tails.split())


RESNETS = "conv1.weight conv1.bias norm2.weight norm2.bias conv2.weight conv2.bias"
"""Tensors of a residual block whose first axis is its width."""
INSIDE = "norm1.weight attn1.to_q.weight attn1.to_k.weight attn2.to_q.weight norm2.weight norm3.weight"
"""Tensors of a transformer block, one of each."""
TEXT = "attn2.to_k.weight attn2.to_v.weight"
DOWN = _each("down_blocks.#.resnets.#.", RESNETS)
UP = _each("up_blocks.#.resnets.#.", RESNETS)
K_DOWN = "down_blocks.#.resnets.#.norm1.linear.weight"
BLOCKS_DOWN = _each("down_blocks.#.attentions.#.transformer_blocks.#.", INSIDE)
BLOCKS_UP = _each("up_blocks.#.attentions.#.transformer_blocks.#.", INSIDE)
BLOCKS_MIDDLE = _each("mid_block.attentions.#.transformer_blocks.#.", INSIDE)
DUAL = "attentions.#.transformers.#.transformer_blocks.#."


def _side(side: str) -> dict[str, object]:
    """The kinds of blocks that differ in names, on one side."""
    name = side.capitalize()
    where = f"{side}_blocks.#."
    sampler = "downsamplers" if side == "down" else "upsamplers"
    return {
        f"{where}attentions.#.transformer_blocks.#.attn2.to_k.weight": f"CrossAttn{name}Block2D",
        f"{where}{DUAL}attn2.to_k.weight": f"CrossAttn{name}Block2D",
        f"{where}attentions.#.add_k_proj.weight": f"SimpleCrossAttn{name}Block2D",
        f"{where}attentions.#.attn2.to_k.weight": f"KCrossAttn{name}Block2D",
        f"{where}resnets.#.norm1.linear.weight": f"K{name}Block2D",
        f"{where}attentions.#.group_norm.weight": f"Attn{name}Block2D",
        f"{where}{sampler}.#.conv1.weight": f"Resnet{name}sampleBlock2D",
    }


SHOWN_UNET: dict[str, Shown] = {
    "in_channels": dim("conv_in.weight", 1),
    "conv_in_kernel": dim("conv_in.weight", 2),
    "block_out_channels": dims(DOWN, 0),
    "layers_per_block": numbers(DOWN),
    "down_block_types": words(DOWN, _side("down"), "DownBlock2D"),
    "mid_block_type": word({
        "mid_block.attentions.#.add_k_proj.weight": "UNetMidBlock2DSimpleCrossAttn",
        "mid_block.attentions.#.transformer_blocks.#.attn2.to_k.weight": "UNetMidBlock2DCrossAttn",
        "mid_block.attentions.#.transformer_blocks.#.attn2.to_v.weight": "UNetMidBlock2DCrossAttn",
        f"mid_block.{DUAL}attn2.to_k.weight": "UNetMidBlock2DCrossAttn",
        "mid_block.resnets.#.conv1.weight": "UNetMidBlock2D"}),
    "transformer_layers_per_block": numbers(BLOCKS_DOWN, stages=DOWN, middle=BLOCKS_MIDDLE),
    "cross_attention_dim": dim_or_dims(
        f"{_each('down_blocks.#.attentions.#.transformer_blocks.#.', TEXT)} {_each('down_blocks.#.' + DUAL, TEXT)} "
        "down_blocks.#.attentions.#.add_k_proj.weight down_blocks.#.attentions.#.attn2.to_k.weight", 1, stages=DOWN,
        middle=f"{_each('mid_block.attentions.#.transformer_blocks.#.', TEXT)} mid_block.attentions.#.add_k_proj.weight"),
    "use_linear_projection": flat("down_blocks.#.attentions.#.proj_in.weight up_blocks.#.attentions.#.proj_in.weight "
                                  "mid_block.attentions.#.proj_in.weight"),
    "only_cross_attention": unlike("down_blocks.#.attentions.#.transformer_blocks.#.attn1.to_k.weight", 1,
                                   "down_blocks.#.attentions.#.transformer_blocks.#.attn1.to_q.weight"),
    "resnet_time_scale_shift": unlike("down_blocks.#.resnets.#.time_emb_proj.bias", 0, "down_blocks.#.resnets.#.conv1.bias",
                                      "scale_shift", "default"),
    "dual_cross_attention": there(f"down_blocks.#.{DUAL}norm1.weight up_blocks.#.{DUAL}norm1.weight"),
    "attention_type": word({"position_net.null_positive_feature": "gated", "position_net.null_text_feature": "gated-text-image"},
                           "default"),
    "num_attention_heads": neutral(1), "attention_head_dim": neutral(1), "act_fn": neutral("silu"),
    "time_embedding_dim": dim(_each("time_embedding.linear_", "1.weight 1.bias 2.weight 2.bias"), 0),
    "time_embedding_type": word({"time_proj.weight": "fourier"}, "positional"),
    "time_cond_proj_dim": dim_or_null("time_embedding.cond_proj.weight", 1),
    "addition_embed_type": word({
        "add_embedding.pool.k_proj.weight": "text", "add_embedding.text_proj.weight": "text_image",
        "add_embedding.input_hint_block.#.weight": "image_hint", "add_embedding.image_proj.weight": "image",
        "add_embedding.linear_1.weight": "text_time", "add_embedding.linear_2.weight": "text_time"}),
    "projection_class_embeddings_input_dim": dim_or_null("add_embedding.linear_1.weight class_embedding.linear_1.weight", 1),
    "class_embed_type": word({"class_embedding.linear_1.weight": "projection"}),
    "num_class_embeds": dim_or_null("class_embedding.weight", 0),
    "encoder_hid_dim": dim_or_null("encoder_hid_proj.weight encoder_hid_proj.text_proj.weight", 1),
    "encoder_hid_dim_type": word({"encoder_hid_proj.weight": "text_proj", "encoder_hid_proj.text_proj.weight": "text_image_proj",
                                  "encoder_hid_proj.image_embeds.weight": "image_proj"}),
}
SHOWN_UPWARDS: dict[str, Shown] = {
    "out_channels": dim("conv_out.weight conv_out.bias", 0),
    "conv_out_kernel": dim("conv_out.weight", 2),
    "up_block_types": words(UP, _side("up"), "UpBlock2D"),
    "norm_num_groups": word({"conv_norm_out.weight": 32, "conv_norm_out.bias": 32}),
    "reverse_transformer_layers_per_block": numbers(BLOCKS_UP, stages=UP, reverse_of=BLOCKS_DOWN),
}
SHOWN_CONDITION: dict[str, Shown] = {
    "conditioning_channels": dim("controlnet_cond_embedding.conv_in.weight", 1),
    "conditioning_embedding_out_channels": listed(dims("controlnet_cond_embedding.blocks.#.weight", 1, every=2),
                                                  dim("controlnet_cond_embedding.conv_out.weight", 1)),
}
