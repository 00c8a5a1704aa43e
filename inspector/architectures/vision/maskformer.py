"""MaskFormer, Mask2Former and OneFormer: a class and a mask for each query.

modeling_maskformer.py: the decoder is DETR's, under its own config; a Swin below it becomes one with all four maps.
modeling_mask2former.py: the pixel decoder attends over the last three maps (deformably, with four points) and fuses as
many of the first as there are doublings between `common_stride` and the stride of those; the decoder has a layer fewer
than `decoder_layers`; transformers 4 forgets the projections into it. modeling_oneformer.py: the same, with a task as a
sentence, which a network of two layers reads; what reads texts is there for training alone.
"""

from inspector.architectures.vision.backbones import MAPS, width_of
from inspector.architectures.vision.deformable import DEFORMABLE
from inspector.architectures.vision.detr import ATTENTION, CROSS, MLP, NORM_OF_CROSS
from inspector.architectures.vision.swin import MASKFORMER_SWIN
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, param, table

EMPTY = part("criterion.empty_weight", "head.loss.weight", buffer("C+1"))
MASK_DIMS = MAPS | Dims(C="labels")
MASKFORMER_STATE_DICT = {  # names in memory under transformers 5
    "*decoder.layers.{Ld}.self_attn.out_proj": "decoder.layers.{Ld}.self_attn.o_proj",
    "*decoder.layers.{Ld}.encoder_attn.out_proj": "decoder.layers.{Ld}.encoder_attn.o_proj",
    "*decoder.layers.{Ld}.fc": "decoder.layers.{Ld}.mlp.fc",
}
MASKFORMER = Architecture("maskformer", dialects=({}, MASKFORMER_STATE_DICT),
    dims=MASK_DIMS | Dims(
        stages="1 : len(backbone_config.depths) + 1 when of == 'swin' | backbone_config.out_indices"
               " | Z - Z1 - Z2 - Z3 - Z4 when backbone_config.out_features != null"
               " | len(backbone_config.depths) : len(backbone_config.depths) + 1",
        fs="fpn_feature_size", ms="mask_feature_size", d="decoder_config.d_model", Ld="decoder_config.decoder_layers",
        fd="decoder_config.decoder_ffn_dim", N="decoder_config.num_queries", Y="len(stages) - 1",
        z="stages[len(stages) - 2 - {Y}]",
        cz=width_of("z")),
    parts=rows(
        under("pixel_level_module",
            submodel("vision", "encoder.", config="backbone_config", head="Backbone", when="of != 'swin'"),
            submodel("swin", "encoder.", MASKFORMER_SWIN, config="backbone_config", head="Backbone",
                     when="of == 'swin'"),
            under("decoder",
                part("fpn.stem.0",             "neck.fpn.stem",      conv("cy -> fs, 3 3", bias=False)),
                part("fpn.stem.1",             "norm.fpn.stem", affine("fs")),
                part("fpn.layers.{Y}.proj.0",  "neck.fpn.map",       conv("cz -> fs, 1 1", bias=False)),
                part("fpn.layers.{Y}.proj.1",  "norm.fpn.map",  affine("fs")),
                part("fpn.layers.{Y}.block.0", "neck.fpn.conv",      conv("fs -> fs, 3 3", bias=False)),
                part("fpn.layers.{Y}.block.1", "norm.fpn",      affine("fs")),
                part("mask_projection",        "neck.fpn.mask",      conv("fs -> ms, 3 3")), tower="pixel")),
        under("transformer_module",
            part("queries_embedder", "embed.query",   table("N d")),
            part("input_projection", "embed.project", conv("cy -> d, 1 1"), when="cy != d"),
            under("decoder.layers.{Ld}", under("self_attn", ATTENTION), under("encoder_attn", CROSS), NORM_OF_CROSS,
                  rows(MLP, ff="fd")),
            part("decoder.layernorm", "norm.final", affine("d")), tower="decoder")),
    heads=(
        head("ForInstanceSegmentation", "model.", EMPTY,
            part("class_predictor",   "head.class",  dense("d -> C + 1")),
            part("mask_embedder.0.0", "head.mask.1", dense("d -> d")),
            part("mask_embedder.1.0", "head.mask.2", dense("d -> d")),
            part("mask_embedder.2.0", "head.mask",   dense("d -> ms")), default=True),
        head("Model", "")))

# I: maps with deformable attention, z the stage of each, cz its channels; F: levels; P: finer maps that are added, g1
# … and q1 …: their stages and channels; s, q: stride of the finest map, relative to the common one
PIXEL_DIMS = MASK_DIMS | Dims(d="hidden_dim", fe="encoder_feedforward_dim", fd="dim_feedforward", Le="encoder_layers",
                              Ld="decoder_layers - 1",
    N="num_queries", he="num_attention_heads", F="3", I="min(3, len(stages))", z="stages[len(stages) - 1 - {I}]",
    cz=width_of("z"),
    s="min(strides[len(strides)-3], strides[len(strides)-2], strides[len(strides)-1])", q="s/common_stride",
    P="3 when q >= 8 | 2 when q >= 4 | 1 when q >= 2 | 0", g1="stages[0]", g2="stages[1]", g3="stages[2]",
    q1=width_of("g1"), q2=width_of("g2"),
    q3=width_of("g3"), five="transformers_version[0] != '4'")
PIXEL_MODULE = under("pixel_level_module",     # fs wide, ms the masks
    submodel("vision", "encoder.", config="backbone_config", head="Backbone"),
    under("decoder",
        part("input_projections.{I}.0", "neck.pixel.map",      conv("cz -> fs, 1 1")),
        part("input_projections.{I}.1", "norm.pixel.map", affine("fs")),
        part("level_embed",             "neck.pixel.scale",    param("3 fs")),
        under("encoder.layers.{Le}", under("self_attn", DEFORMABLE, h="he", p="4", d="fs"), rows(MLP, ff="fe", d="fs")),
        part("mask_projection", "neck.pixel.mask",      conv("fs -> ms, 1 1")),
        part("adapter_1.0",     "neck.pixel.fuse",      conv("q1 -> fs, 1 1", bias=False), when="P > 0"),
        part("adapter_1.1",     "norm.fuse",       affine("fs"), when="P > 0"),
        part("layer_1.0",       "neck.pixel.conv",      conv("fs -> fs, 3 3", bias=False), when="P > 0"),
        part("layer_1.1",       "norm.pixel",      affine("fs"), when="P > 0"),
        part("adapter_2.0",     "neck.pixel.fuse",      conv("q2 -> fs, 1 1", bias=False),
             when="P > 1 and len(stages) > 1"),
        part("adapter_2.1",     "norm.fuse",       affine("fs"), when="P > 1 and len(stages) > 1"),
        part("layer_2.0",       "neck.pixel.conv",      conv("fs -> fs, 3 3", bias=False),
             when="P > 1 and len(stages) > 1"),
        part("layer_2.1",       "norm.pixel",      affine("fs"), when="P > 1 and len(stages) > 1"),
        part("adapter_3.0",     "neck.pixel.fuse",      conv("q3 -> fs, 1 1", bias=False),
             when="P > 2 and len(stages) > 2"),
        part("adapter_3.1",     "norm.fuse",       affine("fs"), when="P > 2 and len(stages) > 2"),
        part("layer_3.0",       "neck.pixel.conv",      conv("fs -> fs, 3 3", bias=False),
             when="P > 2 and len(stages) > 2"),
        part("layer_3.1",       "norm.pixel",      affine("fs"), when="P > 2 and len(stages) > 2"), tower="pixel"))
PACKED = rows(                                 # torch's attention, w wide
    part("in_proj_weight", "attention.qkv",      param("3*w w")),
    part("in_proj_bias",   "attention.qkv.bias", param("3*w")),
    part("out_proj",       "attention.output",   dense("w -> w")))
MASK2FORMER = Architecture("mask2former",
    dims=PIXEL_DIMS | Dims(strides="feature_strides", fs="feature_size", ms="mask_feature_size"),
    parts=rows(
        PIXEL_MODULE,
        under("transformer_module",
            part("queries_embedder",      "embed.query.position", table("N d")),
            part("queries_features",      "embed.query",          table("N d")),
            part("level_embed",           "embed.scale",          table("3 d")),
            part("input_projections.{F}", "embed.project",        conv("fs -> d, 1 1"),
                 when="five and (fs != d or enforce_input_projection)"),
            under("decoder.layers.{Ld}",
                under("self_attn", ATTENTION), rows(MLP, ff="fd"),
                under("cross_attn", PACKED, w="d", tower="decoder.cross"),
                part("cross_attn_layer_norm", "norm.cross", affine("d"))),
            part("decoder.layernorm", "norm.final", affine("d")),
            part("decoder.mask_predictor.mask_embedder.0.0", "head.mask.1", dense("d -> d")),
            part("decoder.mask_predictor.mask_embedder.1.0", "head.mask.2", dense("d -> d")),
            part("decoder.mask_predictor.mask_embedder.2.0", "head.mask",   dense("d -> ms")), tower="decoder")),
    heads=(
        head("ForUniversalSegmentation", "model.", EMPTY, part("class_predictor", "head.class", dense("d -> C + 1")),
             default=True),
        head("Model", "")))

TEXT_MAPPER = under("text_mapper",             # w wide
    part("text_encoder.token_embedding",      "embed.token",    table("text_encoder_vocab_size w")),
    part("text_encoder.positional_embedding", "embed.position", param("text_encoder_context_length w")),
    part("text_encoder.ln_final",             "norm.final",     affine("w")),
    under("text_encoder.transformer.layers.{Lt}",
        under("self_attn", PACKED),
        part("layer_norm1", "norm.attention", affine("w")),
        part("mlp.fc1",     "mlp.up",         dense("w -> 4*w")),
        part("mlp.fc2",     "mlp.down",       dense("4*w -> w")),
        part("layer_norm2", "norm.mlp",       affine("w"))),
    part("text_projector.layers.0.0",   "project.first", dense("w -> d")),
    part("text_projector.layers.{O}.0", "project",       dense("d -> d")),
    part("prompt_ctx", "embed.prompt", table("text_encoder_n_ctx w"), when="text_encoder_n_ctx > 0"), tower="text")
ONEFORMER = Architecture("oneformer",
    dims=PIXEL_DIMS | Dims(fs="conv_dim", ms="mask_dim", Lq="query_dec_layers", w="text_encoder_width",
                           Lt="text_encoder_num_layers",
                           O="1 : text_encoder_proj_layers"),
    parts=rows(
        PIXEL_MODULE,
        under("transformer_module",
            part("queries_embedder", "embed.query", table("N d")),
            part("level_embed",      "embed.scale", table("3 d")),
            under("decoder",
                under("query_transformer.decoder",
                    under("layers.{Lq}",
                        under("self_attn", PACKED, w="d"),
                        under("multihead_attn", PACKED, w="d", tower="query.cross"),
                        part("linear1", "mlp.up",         dense("d -> fd")),
                        part("linear2", "mlp.down",       dense("fd -> d")),
                        part("norm1",   "norm.attention", affine("d")),
                        part("norm2",   "norm.cross",     affine("d")),
                        part("norm3",   "norm.mlp",       affine("d"))),
                    part("norm", "norm.final", affine("d")), tower="query"),
                under("layers.{Ld}",
                    under("cross_attn.multihead_attn", PACKED, w="d", tower="decoder.cross"),
                    part("cross_attn.norm", "norm.cross",     affine("d")),
                    under("self_attn.self_attn", ATTENTION),
                    part("self_attn.norm",  "norm.attention", affine("d")),
                    part("ffn.linear1",     "mlp.up",         dense("d -> fd")),
                    part("ffn.linear2",     "mlp.down",       dense("fd -> d")),
                    part("ffn.norm",        "norm.mlp",       affine("d"))),
                part("decoder_norm",           "norm.final",          affine("d")),
                part("query_input_projection", "embed.query.project", conv("fs -> d, 1 1")),
                part("class_embed",            "head.class",          dense("d -> C + 1")),
                part("mask_embed.layers.0.0",  "head.mask.1",         dense("d -> d")),
                part("mask_embed.layers.1.0",  "head.mask.2",         dense("d -> d")),
                part("mask_embed.layers.2.0",  "head.mask",           dense("d -> ms"))), tower="decoder"),
        part("task_encoder.task_mlp.layers.0.0", "embed.task.up",   dense("task_seq_len -> d")),
        part("task_encoder.task_mlp.layers.1.0", "embed.task.down", dense("d -> d")),
        rows(TEXT_MAPPER, when="is_training"),
        rows(TEXT_MAPPER, when="not is_training", optional=True, extra="training")),
    heads=(
        head("ForUniversalSegmentation", "model.", EMPTY,
            part("criterion.logit_scale", "head.loss.scale", param(""), when="contrastive_temperature != null"),
            default=True),
        head("Model", "")))
