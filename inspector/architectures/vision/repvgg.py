"""TextNet and EfficientLoFTR: convolutions whose parallel branches a converter may fold into one (RepVGG).

modeling_textnet.py: a kernel of three by three has a branch of each axis, one of a line only that of its own axis; a
layer that keeps width and size has a norm of its input. modeling_efficientloftr.py: a branch of three by three and one
of one; above them layers that attend within and across two pictures, with queries joined by a convolution, and a
pyramid that refines the matches; configuration_efficientloftr.py computes the lists that a file
leaves out.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear

# S: stages; B: layers of one, V, H: those with a vertical and a horizontal branch, I: those with a norm of the input
TEXTNET = Architecture("textnet", ties="false", ignores="out_features out_indices depths stage_names image_size",
    dims=Dims(S="len(conv_layer_kernel_sizes)", B="len(conv_layer_kernel_sizes[{S}])",
              kernels="conv_layer_kernel_sizes[{S}]", strides="conv_layer_strides[{S}]",
              V="B[kernels[1] != 1]", H="B[kernels[0] != 1]",
              I="B[strides == 1] when hidden_sizes[{S}] == hidden_sizes[{S}+1] | B[strides == 1] - B[:1]",
              y="conv_layer_kernel_sizes[{S}][{B}][0]", x="conv_layer_kernel_sizes[{S}][{B}][1]",
              i="hidden_sizes[{S}] when {B} == 0 | hidden_sizes[{S}+1]", o="hidden_sizes[{S}+1]",
              c="stem_num_channels", z="stem_out_channels", k="stem_kernel_size",
              f="hidden_sizes[len(hidden_sizes)-1]", C="labels"),
    parts=rows(
        part("stem.conv",       "embed.patch", conv("c -> z, k k", bias=False)),
        part("stem.batch_norm", "norm.embed",  batchnorm("z")),
        under("encoder.stages.{S}.stage",
            part("{B}.main_conv",             "resnet.conv",            conv("i -> o, y x", bias=False)),
            part("{B}.main_batch_norm",       "norm.resnet",            batchnorm("o")),
            part("{V}.vertical_conv",         "resnet.vertical.conv",   conv("i -> o, y 1", bias=False)),
            part("{V}.vertical_batch_norm",   "norm.resnet.vertical",   batchnorm("o")),
            part("{H}.horizontal_conv",       "resnet.horizontal.conv", conv("i -> o, 1 x", bias=False)),
            part("{H}.horizontal_batch_norm", "norm.resnet.horizontal", batchnorm("o")),
            part("{I}.rbr_identity",          "norm.resnet.skip",       batchnorm("o")))),
    heads=(
        head("Model", ""),
        head("Backbone", "textnet."),
        head("ForImageClassification", "textnet.", part("fc", "head.class", dense("f -> C")), default=True)))

HALF = rows(                                   # one of the two attentions of a layer
    part("aggregation.q_aggregation", "attention.query.conv",
         conv("d -> d, q_aggregation_kernel_size q_aggregation_kernel_size", groups="d", bias=False)),
    part("aggregation.norm",          "norm.attention",   affine("d")),
    part("attention.q_proj",          "attention.query",  linear("d -> h*dh",  bias="b")),
    part("attention.k_proj",          "attention.key",    linear("d -> kv*dh", bias="b")),
    part("attention.v_proj",          "attention.value",  linear("d -> kv*dh", bias="b")),
    part("attention.o_proj",          "attention.output", linear("h*dh -> d",  bias="b")),
    part("mlp.fc1",                   "mlp.up",           linear("d + d -> ff")),
    part("mlp.fc2",                   "mlp.down",         linear("ff -> d")),
    part("mlp.layer_norm",            "norm.mlp.post",    affine("d")))
# S: stages; B: blocks of one, I: those with a norm of the input; R: steps of the refinement, from w to v
EFFICIENTLOFTR = Architecture("efficientloftr", ties="false",
    dims=Dims(S="len(stage_stride)", B="stage_num_blocks[{S}]", z="len(out_features)",
              o="stage_block_out_channels[{S}][{B}] | out_features[{S}]",
              i="stage_block_in_channels[{S}][{B}] | out_features[{S}] when {B} > 0 | out_features[{S}-1] | 1",
              strides="stage_block_stride[{S}]", ins="stage_block_in_channels[{S}]",
              outs="stage_block_out_channels[{S}]",
              I="B[strides == 1 and ins == outs] when stage_block_stride != null "
                "| B when stage_stride[{S}] == 1 and out_features[{S}-1] == out_features[{S}] | B[1:]",
              d="hidden_size", L="num_attention_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d//h", ff="intermediate_size when stated.intermediate_size | 2*d", b="attention_bias",
              R="len(fine_fusion_dims) - 1 when fine_fusion_dims != null | z - 2",
              w="fine_fusion_dims[{R}] | out_features[z-1-{R}]", v="fine_fusion_dims[{R}+1] | out_features[z-2-{R}]",
              f="fine_fusion_dims[0] | out_features[z-1]"),
    parts=rows(
        under("backbone.stages.{S}.blocks",
            part("{B}.conv1.conv", "resnet.conv.1",    conv("i -> o, 3 3", bias=False)),
            part("{B}.conv1.norm", "norm.resnet.1",    batchnorm("o")),
            part("{B}.conv2.conv", "resnet.conv.2",    conv("i -> o, 1 1", bias=False)),
            part("{B}.conv2.norm", "norm.resnet.2",    batchnorm("o")),
            part("{I}.identity",   "norm.resnet.skip", batchnorm("o"))),
        under("local_feature_transformer.layers.{L}",
            rows(under("self_attention",  HALF), tower="self"),
            rows(under("cross_attention", HALF), tower="across"))),
    heads=(
        head("Model", ""),
        head("ForKeypointMatching", "efficientloftr.",
            under("refinement_layer",
                part("out_conv", "head.fuse.conv", conv("f -> f, 1 1", bias=False)),
                under("out_conv_layers.{R}",
                    part("out_conv1",  "neck.conv.1",  conv("v -> w, 1 1", bias=False)),
                    part("out_conv2",  "neck.conv.2",  conv("w -> w, 3 3", bias=False)),
                    part("batch_norm", "norm.neck",    batchnorm("w")),
                    part("out_conv3",  "neck.conv.3",  conv("w -> v, 3 3", bias=False)))), default=True)))
