"""LeViT.

modeling_levit.py: every linear is followed by a batch norm and has no bias. Attention and MLP take turns in one list;
the first two stages end with an attention that halves the grid and an MLP, or those that `down_ops` has with the type
"Subsample", key width, heads, value width, factor of the MLP and stride; without it they follow from `hidden_sizes` and
the first `key_dim`. A table of biases has a number for each distance between two points of the grid.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import batchnorm, conv, dense, linear, param

NORMED = rows(
    part("linear",     "project",      linear("i -> o")),
    part("batch_norm", "norm.project", batchnorm("o")))
MLP = rows(                                    # x the factor
    under("linear_up",   NORMED, i="w", o="x*w", tower="mlp.up"),
    under("linear_down", NORMED, i="x*w", o="w", tower="mlp.down"))
STEM = rows(
    part("convolution", "embed.image", conv("i -> o, q q", bias=False)),
    part("batch_norm",  "norm.embed",  batchnorm("o")))
CLASSIFY = rows(
    part("batch_norm", "norm.head",  batchnorm("f")),
    part("linear",     "head.class", dense("f -> C")))
# e: width of the first stage; w, v: width of a stage and of the next; k, h, a: key width, heads, value width per key
# width; n: numbered modules of a stage (t per block), A attention, M feed-forward; D, E: stages with downsampling, N, O
# its modules, z, y, g, u: its key width, heads, value width per key width, and factor of the MLP; s0 to s2:
# strides after the stages; r: side of the map
LEVIT = Architecture("levit",
    dims=Dims(c="num_channels", S="len(depths)", e="hidden_sizes[0]", q="kernel_size", w="hidden_sizes[{S}]",
              k="key_dim[{S}]",
              h="num_attention_heads[{S}]", a="attention_ratio[{S}]", x="mlp_ratio[{S}]", t="2 when x > 0 | 1",
              n="depths[{S}]*t",
              A="0 : n : t", M="1 : n : 2 when x > 0 | 0", N="n : n + 1", O="0 when u <= 0 | n + 1 : n + 2",
              E="S[down_ops[0] == 'Subsample']", D="S[:2] when down_ops == null or (S > 2 and down_ops[1] == null) | E",
              v="hidden_sizes[{D} + 1]", z="key_dim[0] when down_ops == null | down_ops[{D}][1]",
              y="w//z when down_ops == null | down_ops[{D}][2]", g="4 when down_ops == null | down_ops[{D}][3]",
              u="2 when down_ops == null | down_ops[{D}][4]",
              s0="2 when down_ops == null | "
                 "1 when down_ops[0] != null and down_ops[0][0] != 'Subsample' | down_ops[0][5]",
              s1="2 when down_ops == null | "
                 "1 when down_ops[1] != null and down_ops[1][0] != 'Subsample' | down_ops[1][5]",
              s2="down_ops[2][5] when len(down_ops) > 2 and down_ops[2][0] == 'Subsample' | 1",
              r0="image_size//patch_size", r1="(r0 - 1)//s0 + 1", r2="(r1 - 1)//s1 + 1", r3="(r2 - 1)//s2 + 1",
              r="r0 when {S} == 0 | r1 when {S} == 1 | r2 when {S} == 2 | r3",
              f="hidden_sizes[len(hidden_sizes)-1]", d="f", C="labels"),
    parts=rows(
        under("patch_embeddings.embedding_layer_1", STEM, i="c",    o="e//8", tower="stem.1"),
        under("patch_embeddings.embedding_layer_2", STEM, i="e//8", o="e//4", tower="stem.2"),
        under("patch_embeddings.embedding_layer_3", STEM, i="e//4", o="e//2", tower="stem.3"),
        under("patch_embeddings.embedding_layer_4", STEM, i="e//2", o="e",    tower="stem.4"),
        under("encoder.stages.{S}.layers.{A}.module",
            part("attention_biases", "attention.bias", param("h r*r")),
            under("queries_keys_values", NORMED, i="w", o="a*k*h + 2*k*h", tower="attention.qkv"),
            under("projection",          NORMED, i="a*k*h", o="w", tower="attention.output")),
        under("encoder.stages.{S}.layers.{M}.module", MLP),
        under("encoder.stages.{D}.layers.{N}",
            part("attention_biases", "attention.bias.down", param("y r*r")),
            under("keys_values", NORMED, i="w", o="(g + 1)*z*y", tower="down.kv"),
            under("queries",     NORMED, i="w", o="z*y", tower="down.query"),
            under("projection",  NORMED, i="g*z*y", o="v", tower="down.output")),
        under("encoder.stages.{D}.layers.{O}.module", rows(MLP, w="v", x="u"), tower="down")),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "levit.", under("classifier", CLASSIFY), default=True),
        head("ForImageClassificationWithTeacher", "levit.", under("classifier", CLASSIFY),
            under("classifier_distill", CLASSIFY, tower="distillation"))))
