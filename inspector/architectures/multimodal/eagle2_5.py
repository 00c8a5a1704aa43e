"""Eagle 2.5 as its authors publish it: a tower of SigLIP, InternViT or RADIO, InternVL's projector and any text model.

modeling_eagle2_5_vl.py (github.com/NVlabs/Eagle): pixels are shuffled by `1 / downsample_ratio`; the projector has a
norm and two linears, or one linear with `mlp_connector_layers` 1. Layers behind `select_layer` are stored.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel
from inspector.notation.kinds import affine, dense

EAGLE2_5_VL = Architecture("eagle_2_5_vl", ties="text_config.tie_word_embeddings | tie_word_embeddings | false",
    heads=(head("VL ForConditionalGeneration", "", default=True),),
    ignores="template select_layer force_image_size dynamic_image_size use_thumbnail min_dynamic_tiles"
            " max_dynamic_tiles loss_version mlp_checkpoint use_backbone_lora use_llm_lora pad2square",
    dims=Dims(d="text.d", V="text.V", v="vision.d", s="floor(1/downsample_ratio)", one="mlp_connector_layers == 1",
              i="v when one and use_pixel_shuffle == false | v*s**2"),
    parts=rows(
        submodel("vision", "vision_model.", head="VisionModel"),
        submodel("text",   "language_model.", head="ForCausalLM"),
        part("mlp1.0", "bridge.out",  dense("i -> d"), when="one"),
        rows(
            part("mlp1.0", "norm.bridge", affine("i")),
            part("mlp1.1", "bridge.in",   dense("i -> d")),
            part("mlp1.3", "bridge.out",  dense("d -> d")), when="not one")))
