"""RT-DETR and RT-DETR v2.

modeling_rt_detr.py: attention only within the maps of `encode_proj_layers`, then a pyramid down and one up, of one
block fewer than maps each; the norms of the backbone are frozen with `freeze_backbone_batch_norms`. The decoder's heads
are each layer's own; transformers names them outside the decoder, too. modeling_rt_detr_v2.py: the levels of the
attention are `decoder_n_levels`, its scale of points is a buffer.
"""

from inspector.architectures.vision.backbones import FROZEN_RESNET, FROZEN_RT_DETR_RESNET, MAPS
from inspector.architectures.vision.deformable import BOX, CLASS, DEFORMABLE
from inspector.architectures.vision.detr import ATTENTION, MLP
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, dense, table

# e encoder, d decoder: L layers, f feed-forward, h heads; I: maps with attention; P: steps of the pyramid, B their
# blocks, x3 their width; J: maps of the decoder, E extra levels (G the first, U the others); H: heads, one per layer
RT_DIMS = MAPS | Dims(d="d_model", eh="encoder_hidden_dim", Le="encoder_layers", Ld="decoder_layers",
                      fe="encoder_ffn_dim", fd="decoder_ffn_dim",
    hd="decoder_attention_heads", pd="decoder_n_points", F="num_feature_levels", N="num_queries",
    C="labels",
    I="len(encode_proj_layers)", P="len(encoder_in_channels) - 1", B="3", x3="floor(eh*hidden_expansion)",
    J="len(decoder_in_channels)",
    E="J : F", G="E[:1]", U="E[1:]", last="decoder_in_channels[J-1]", H="Ld")
CONV = rows(
    part("conv", "resnet.conv", conv("i -> o, k k", bias=False)),
    part("norm", "norm.resnet", batchnorm("o")))
CSP = rows(
    under("conv1", CONV, i="2*eh", o="x3", k="1", tower="csp.1"),
    under("conv2", CONV, i="2*eh", o="x3", k="1", tower="csp.2"),
    under("bottlenecks.{B}.conv1", CONV, i="x3", o="x3", k="3", tower="rep.1"),
    under("bottlenecks.{B}.conv2", CONV, i="x3", o="x3", k="1", tower="rep.2"),
    under("conv3", CONV, i="x3", o="eh", k="1", tower="csp.3", when="x3 != eh"))
BACKBONE = rows(
    submodel("vision", "backbone.model.", config="backbone_config", head="Backbone",
          when="not (freeze_backbone_batch_norms and of in 'resnet rt_detr_resnet')"),
    submodel("frozen", "backbone.model.", FROZEN_RT_DETR_RESNET, config="backbone_config", head="Backbone",
          when="freeze_backbone_batch_norms and of == 'rt_detr_resnet'"),
    submodel("resnet", "backbone.model.", FROZEN_RESNET, config="backbone_config", head="Backbone",
          when="freeze_backbone_batch_norms and of == 'resnet'"))
PYRAMIDS = under("encoder",                    # attention within maps, a pyramid down and one up
    under("encoder.{I}.layers.{Le}", under("self_attn", ATTENTION), rows(MLP, ff="fe"), d="eh"),
    under("lateral_convs.{P}",    CONV, i="eh", o="eh", k="1", tower="encoder.lateral"),
    under("downsample_convs.{P}", CONV, i="eh", o="eh", k="3", tower="encoder.down"),
    rows(under("fpn_blocks.{P}", CSP), tower="fpn"),
    rows(under("pan_blocks.{P}", CSP), tower="pan"), tower="encoder")
HYBRID_ENCODER = rows(
    part("encoder_input_proj.{X}.0", "embed.map", conv("cx -> eh, 1 1", bias=False)),
    part("encoder_input_proj.{X}.1", "norm.map",  batchnorm("eh")),
    PYRAMIDS)
PROPOSALS = rows(
    part("weight_embedding",      "embed.query", table("N d"),   when="learn_initial_query"),
    part("enc_output.0",   "head.proposal.project", dense("d -> d")),
    part("enc_output.1",   "norm.proposal",         affine("d")),
    part("enc_score_head", "head.proposal.class",   dense("d -> C")),
    under("enc_bbox_head", BOX, tower="proposal"))
NOISE = part("denoising_class_embed", "embed.noise", table("C+1 d"), when="num_denoising > 0")
WITHOUT_NOISE = rows(                          # u levels of the attention
    PROPOSALS,
    under("decoder_input_proj",
        part("{J}.0", "embed.level",       conv("decoder_in_channels[{J}] -> d, 1 1", bias=False)),
        part("{J}.1", "norm.level",        batchnorm("d")),
        part("{G}.0", "embed.level.next",  conv("last -> d, 3 3", bias=False)),
        part("{G}.1", "norm.level.next",   batchnorm("d")),
        part("{U}.0", "embed.level.later", conv("d -> d, 3 3", bias=False)),
        part("{U}.1", "norm.level.later",  batchnorm("d"))),
    under("decoder",
        under("layers.{Ld}",
            under("self_attn", ATTENTION), rows(MLP, ff="fd"),
            rows(under("encoder_attn", DEFORMABLE, h="hd", p="pd", F="u"), tower="decoder.cross"),
            part("encoder_attn_layer_norm", "norm.cross", affine("d"))),
        part("query_pos_head.layers.0", "embed.position.up",   dense("4 -> 2*d")),
        part("query_pos_head.layers.1", "embed.position.down", dense("2*d -> d")), tower="decoder"))
REST = rows(NOISE, WITHOUT_NOISE)
HEADS = (
    head("ForObjectDetection", "model.",
        under("bbox_embed.{H}",  BOX),
        under("class_embed.{H}", CLASS),
        under("model.decoder.bbox_embed.{H}",  BOX,   tied="bbox_embed.{H}",  tower="copies"),
        under("model.decoder.class_embed.{H}", CLASS, tied="class_embed.{H}", tower="copies"), default=True),
    head("Model", ""))
STATE_DICT = {  # names in memory under transformers 5
    "*.out_proj": ".o_proj",
    "*.fc1": ".mlp.fc1",
    "*.fc2": ".mlp.fc2",
    "*encoder.encoder.": "encoder.aifi.",
}
RT_DETR = Architecture("rt_detr", dialects=({}, STATE_DICT),
    ties="true", dims=RT_DIMS, parts=rows(BACKBONE, HYBRID_ENCODER, rows(REST, u="F")),
                       heads=HEADS)
RT_DETR_V2 = Architecture("rt_detr_v2", dialects=({}, STATE_DICT),
    ties="true", dims=RT_DIMS | Dims(D="decoder_n_levels"),
    parts=rows(BACKBONE, HYBRID_ENCODER, rows(REST, u="D"),
        part("decoder.layers.{Ld}.encoder_attn.n_points_scale", "attention.points", buffer("pd*D"))),
    heads=HEADS)
