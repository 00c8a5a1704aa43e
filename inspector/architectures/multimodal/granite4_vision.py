"""Granite 4 Vision: Granite, a tower, and one window of BLIP-2's Q-Former for each of its ways into the text.

modeling_granite4_vision.py: a projector for each pair of `deepstack_layer_map`, and four more that sample the grid; the
sides of a window before and after are the two numbers of `downsample_rate`. The Q-Former has the width of the tower
(configuration_granite4_vision.py sets it) whatever its own config says.
"""

from inspector.architectures.multimodal.blip import QFORMER
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, LANGUAGE_FIRST, TIES
from inspector.architectures.text.granite import GRANITE
from inspector.notation.definition import Architecture, Dims, part, rows, submodel, under
from inspector.notation.kinds import affine, dense, param

WINDOW = rows(
    part("query",           "embed.query",    param("1 near**2 v")),
    part("image_positions", "embed.position", param("1 far**2 v")),
    part("norm",            "norm.bridge",    affine("v")),
    under("qformer", QFORMER.parts, L="Q", d="v", e="v", ff="fq", h="v//64",
          use_qformer_text_input="qformer_config.use_qformer_text_input"),
    part("out_linear",      "bridge.out",     dense("v -> d")))
GRANITE4_VISION = Architecture("granite4_vision", ties=TIES, heads=BARE_MODEL, dialects=({}, LANGUAGE_FIRST),
    ignores="spatial_target_layers spatial_vision_layer vision_feature_layer vision_feature_select_strategy",
    dims=Dims(
        d="text.d", V="text.V", v="vision_config.hidden_size", near="numbers(downsample_rate)[0]",
        far="numbers(downsample_rate)[1]", P="len(deepstack_layer_map)", G="4",
        T="qformer_config.max_position_embeddings",
        Q="qformer_config.num_hidden_layers", fq="qformer_config.intermediate_size",
        X="Q[::qformer_config.cross_attention_frequency]",
        distances="qformer_config.position_embedding_type in 'relative_key relative_key_query'"),
    parts=rows(
        submodel("text",   "language_model.", GRANITE, head="Model"),
        submodel("vision", "vision_tower.", head="tower"),
        part("image_newline", "embed.newline", param("d")),
        under("layerwise_projectors.{P}", WINDOW, tower="projector"),
        under("spatial_projectors.{G}", WINDOW, tower="projector.spatial")))
