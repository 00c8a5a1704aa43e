"""GroupViT: stages that gather patches into groups.

modeling_groupvit.py: a stage with group tokens ends in an assignment; its tokens' projector exists where the stage
before made groups; projections are two linears around a batch norm. `num_hidden_layers` moves nothing.
"""

from inspector.architectures.multimodal.clip import CLIP_TEXT
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, param

ASSIGN = rows(                                 # n group tokens, o output groups, t and m widths of the two mixers
    part("norm_tokens",         "norm.token",            affine("d")),
    part("norm_post_tokens",    "norm.token.post",       affine("d")),
    part("norm_x",              "norm.patch",            affine("d")),
    part("norm_new_x",          "norm.patch.new",        affine("d")),
    part("mlp_inter.fc1",       "mlp.token.up",          dense("n -> t")),
    part("mlp_inter.fc2",       "mlp.token.down",        dense("t -> o")),
    part("mlp_channels.fc1",    "mlp.channel.up",        dense("d -> m")),
    part("mlp_channels.fc2",    "mlp.channel.down",      dense("m -> d")),
    part("assign.q_proj",       "attention.assign.query",  dense("d -> d")),
    part("assign.k_proj",       "attention.assign.key",    dense("d -> d")),
    part("assign.v_proj",       "attention.assign.value",  dense("d -> d")),
    part("assign.proj",         "attention.assign.output", dense("d -> d")),
    under("pre_assign_attn",
        part("attn.q_proj",   "cross.query",     dense("d -> d")),
        part("attn.k_proj",   "cross.key",       dense("d -> d")),
        part("attn.v_proj",   "cross.value",     dense("d -> d")),
        part("attn.out_proj", "cross.output",    dense("d -> d")),
        part("norm2",         "norm.cross",      affine("d")),
        part("norm_post",     "norm.cross.post", affine("d")),
        part("mlp.fc1",       "mlp.cross.up",    dense("d -> ff")),
        part("mlp.fc2",       "mlp.cross.down",  dense("ff -> d"))))
GROUPVIT_VISION = Architecture("groupvit_vision_model",
    dims=VISION | Dims(S="len(depths)", B="depths[{S}]", n="num_group_tokens[{S}]", o="num_output_groups[{S}]",
                       v="num_output_groups[{S}-1] | 0", t="floor(assign_mlp_ratio[0]*d)",
                       m="floor(assign_mlp_ratio[1]*d)",
                       G="S[num_group_tokens > 0]", H="G & S[1:]"),
    heads=(head("tower", ""), head("VisionModel", "vision_model.")), dialects=({}, {"vision_model.": ""}),
    parts=rows(
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embeddings",         "embed.position", param("1 g d")),
        part("embeddings.layernorm",                   "norm.embed",     affine("d")),
        part("layernorm",                              "norm.final",     affine("d")),
        under("encoder.stages.{S}.layers.{B}", CLIP_LAYER),
        part("encoder.stages.{G}.group_token", "embed.group", param("1 n d")),
        under("encoder.stages.{G}.downsample", ASSIGN),
        under("encoder.stages.{H}.group_projector",
            part("0",     "norm.group",     affine("d")),
            part("1.fc1", "mlp.group.up",   dense("v -> d//2")),
            part("1.fc2", "mlp.group.down", dense("d//2 -> n")))))
PROJECTION = rows(                             # w the tower's width
    part("0", "head.project.up",   dense("w -> i")),
    part("1", "norm.head",         batchnorm("i")),
    part("3", "head.project.down", dense("i -> q")))
GROUPVIT = Architecture("groupvit", dims=Dims(d="vision.d", q="projection_dim", i="projection_intermediate_dim"),
                        heads=(head("Model", ""),),
    parts=rows(
        submodel("vision", "vision_model.", GROUPVIT_VISION),
        submodel("text", "text_model.", CLIP_TEXT),
        part("logit_scale", "head.scale", param("")),
        under("visual_projection", PROJECTION, w="vision.d", tower="vision.head"),
        under("text_projection",   PROJECTION, w="text.d",   tower="text.head")))
