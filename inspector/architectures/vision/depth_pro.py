"""Depth Pro.

modeling_depth_pro.py: one encoder for patches at several scales, one for the whole picture and, with `use_fov_model`,
one for the field of view. The maps of inner layers are enlarged twice and once more from one to the next; the
projection of the last map is missing where its width is the fusion's already.
"""

from inspector.architectures.vision.dpt import RESIDUAL
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import conv, conv_t, dense

# S: scaled images, x their channels; J, y: intermediate maps and channels, R their upsampling; U, yu: maps that are
# projected; N: fusion layers, n, z: batch norm and bias there; Q: layers of the field-of-view head (h1, h2, hl:
# divisors of the channels), W, k: the last layer and its kernel
DEPTH_PRO = Architecture("depth_pro",
    dims=Dims(f="fusion_hidden_size", d="patch.d", S="len(scaled_images_feature_dims)",
              x="scaled_images_feature_dims[{S}]",
              x0="scaled_images_feature_dims[0]", J="len(intermediate_feature_dims)",
              y="intermediate_feature_dims[{J}]",
              first="f when {J} == 0 | y", R="2 : 3 + {J}",
              U="S : S + J - 1 when intermediate_feature_dims[J-1] == f | S : S + J",
              yu="intermediate_feature_dims[{U} - S]",
              N="len(intermediate_hook_ids) + len(scaled_images_ratios) - 1", n="use_batch_norm_in_fusion_residual",
              z="use_bias_in_fusion_residual | not use_batch_norm_in_fusion_residual", v="num_fov_head_layers",
              Q="0 : 2*v : 2",
              h1="2**({Q}//2 + 1)", h2="2**({Q}//2 + 2)", hl="2**(v + 1)", W="2*v : 2*v + 1",
              k="(patch_size//image_model_config.patch_size - 1)//2**v + 1"),
    parts=rows(
        submodel("patch", "encoder.patch_encoder.model.", config="patch_model_config", image_size="patch_size"),
        submodel("image", "encoder.image_encoder.model.", config="image_model_config", image_size="patch_size"),
        under("neck",
            part("feature_upsample.image_block.layers.0",         "neck.up.image",
                 conv_t("image.d -> x0, 2 2")),
            part("feature_upsample.scaled_images.{S}.layers.0",   "neck.project.scaled",
                 conv("d -> x, 1 1", bias=False)),
            part("feature_upsample.scaled_images.{S}.layers.1",   "neck.up.scaled",
                 conv_t("x -> x, 2 2", bias=False)),
            part("feature_upsample.intermediate.{J}.layers.0",    "neck.project.inner",
                 conv("d -> first, 1 1", bias=False)),
            part("feature_upsample.intermediate.{J}.layers.1",    "neck.up.inner.first",
                 conv_t("first -> y, 2 2", bias=False)),
            part("feature_upsample.intermediate.{J}.layers.{R}",  "neck.up.inner",
                 conv_t("y -> y, 2 2", bias=False)),
            part("fuse_image_with_low_res",                       "neck.fuse",             conv("2*x0 -> x0, 1 1")),
            part("feature_projection.projections.{S}",            "neck.conv.scaled",
                 conv("x -> f, 3 3", bias=False)),
            part("feature_projection.projections.{U}",            "neck.conv.inner",
                 conv("yu -> f, 3 3", bias=False)), tower="neck")),
    heads=(
        head("ForDepthEstimation", "depth_pro.",
            under("fusion_stage",
                under("intermediate.{N}",
                    under("residual_layer1", RESIDUAL, tower="fusion.1"),
                    under("residual_layer2", RESIDUAL, tower="fusion.2"),
                    part("deconv",     "fusion.up",      conv_t("f -> f, 2 2", bias=False)),
                    part("projection", "fusion.project", conv("f -> f, 1 1"))),
                under("final",
                    under("residual_layer1", RESIDUAL, tower="fusion.last.1"),
                    under("residual_layer2", RESIDUAL, tower="fusion.last.2"),
                    part("projection", "fusion.project.last", conv("f -> f, 1 1")))),
            part("head.layers.0", "head.conv.1", conv("f -> f//2, 3 3")),
            part("head.layers.1", "head.up",     conv_t("f//2 -> f//2, 2 2")),
            part("head.layers.2", "head.conv.2", conv("f//2 -> 32, 3 3")),
            part("head.layers.4", "head.depth",  conv("32 -> 1, 1 1")),
            submodel("view", "fov_model.fov_encoder.model.", config="fov_model_config", image_size="patch_size",
                     when="use_fov_model"),
            under("fov_model",
                part("fov_encoder.neck", "head.view.project", dense("view.d -> f//2")),
                part("conv",             "head.view.conv",    conv("f -> f//2, 3 3")),
                part("head.layers.{Q}",  "head.view.head",    conv("(f + h1 - 1)//h1 -> (f + h2 - 1)//h2, 3 3")),
                part("head.layers.{W}",  "head.view.angle",   conv("(f + hl - 1)//hl -> 1, k k")),
                when="use_fov_model"), default=True),
        head("Model", "")))
