"""ViTMatte: a backbone, convolutions of the picture and its trimap, and blocks that join both, coarse to fine.

modeling_vitmatte.py: a block reads the one before, the first the backbone's `hidden_size`, and the convolutions of its
resolution, the last the picture itself; 16 channels before the mask.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import batchnorm, conv

VITMATTE = Architecture("vitmatte", heads=(head("ForImageMatting", ""),),
    dims=Dims(c="backbone_config.num_channels", K="len(convstream_hidden_sizes)", F="len(fusion_hidden_sizes)",
              i="convstream_hidden_sizes[{K}-1] when {K} > 0 | c", o="convstream_hidden_sizes[{K}]",
              u="(fusion_hidden_sizes[{F}-1] when {F} > 0 | hidden_size)", w="fusion_hidden_sizes[{F}]",
              v="(convstream_hidden_sizes[K-1-{F}] when {F} < K | c)", z="fusion_hidden_sizes[F-1]"),
    parts=rows(
        submodel("backbone", "backbone.", head="Backbone"),
        under("decoder",
            part("convstream.convs.{K}.conv",       "embed.conv",    conv("i -> o, 3 3", bias=False)),
            part("convstream.convs.{K}.batch_norm", "norm.embed",    batchnorm("o")),
            part("fusion_blocks.{F}.conv.conv",       "fusion.project", conv("u+v -> w, 3 3", bias=False)),
            part("fusion_blocks.{F}.conv.batch_norm", "norm.project",  batchnorm("w")),
            part("matting_head.matting_convs.0",    "head.conv",     conv("z -> 16, 3 3")),
            part("matting_head.matting_convs.1",    "norm.head",     batchnorm("16")),
            part("matting_head.matting_convs.3",    "head.mask",     conv("16 -> 1, 1 1")))))
