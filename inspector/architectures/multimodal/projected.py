"""Joined models of one tower, one projector and one text model that spell their parts in ways of their own.

DeepSeek-VL, its hybrid with SAM's tower for high resolutions, VideoLLaMA 3, Granite Docling, FastVLM, LFM2-VL,
LightOnOCR, Aria, ColPali, ColQwen2, HyperCLOVA X Vision. modeling_video_llama_3.py: SigLIP's layers with rotary
positions, so none are stored.
modeling_granite_docling.py: the connector is part of the tower and has two paths, of `scale_factor` and of half of it;
the router between them exists where `density_router_hidden_size` is given. modeling_aria.py: the
projector attends with learned queries, its torch attention has a fused input. modeling_lfm2_vl.py: pixels are shuffled
by `downsample_factor`. modeling_colpali.py,
modeling_colqwen2.py: a whole joined model below `vlm.` and a linear to `embedding_dim`, without the token head in
ColPali.
"""

from inspector.architectures.multimodal.joined_blocks import (
    BARE_MODEL,
    JOINED,
    LANGUAGE_FIRST,
    SPELLINGS,
    TIED_IF_ONE_SAYS,
    TIES,
)
from inspector.architectures.multimodal.llava import PALIGEMMA
from inspector.architectures.multimodal.qwen_vl import QWEN2_5_VL_VISION, QWEN2_VL
from inspector.architectures.vision.sam import SAM_VISION
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, opaque, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param, scale, table

TEXT = Dims(d="text.d", V="text.V", v="vision.d")
DEEPSEEK_VL = Architecture("deepseek_vl", ties=TIES, dims=TEXT, heads=BARE_MODEL,
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_model.", head="tower"),
        part("aligner.linear1", "bridge.in",  dense("v -> d")),
        part("aligner.linear2", "bridge.out", dense("d -> d"))))
DEEPSEEK_VL_HYBRID = Architecture("deepseek_vl_hybrid", ties=TIES,
                                  dims=TEXT | Dims(w="high_res_vision.d", o="high_res_vision.o"),
    heads=BARE_MODEL,
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_model.", head="tower"),
        submodel("high_res_vision", "high_res_vision_model.", SAM_VISION, head="Model"),
        part("high_res_vision_alpha",           "bridge.scale",           param("1")),
        part("high_res_vision_neck.conv1",       "bridge.neck",           conv("w -> o, 1 1", bias=False)),
        part("high_res_vision_neck.layer_norm1", "norm.bridge.neck",      affine("o")),
        part("high_res_vision_neck.conv2",       "bridge.neck",           conv("o -> o, 3 3", bias=False)),
        part("high_res_vision_neck.layer_norm2", "norm.bridge.neck",      affine("o")),
        part("high_res_vision_proj.conv1",       "bridge.conv",           conv("o -> 2*o, 3 3", bias=False)),
        part("high_res_vision_proj.conv2",       "bridge.conv",           conv("2*o -> 4*o, 3 3", bias=False)),
        part("aligner.vision_proj",              "bridge.in",             dense("v -> d//2")),
        part("aligner.high_res_vision_proj",     "bridge.in.high",        dense("4*o -> d//2")),
        part("aligner.proj",                     "bridge.out",            dense("d -> d"))))
VIDEO_LLAMA3_VISION = Architecture("video_llama_3_vision", dims=VISION, heads=(head("tower VisionModel", ""),),
    parts=rows(
        part("embeddings.patch_embedding", "embed.patch", conv("c -> d, p p")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",             "norm.final",  affine("d"))))
VIDEO_LLAMA3 = Architecture("video_llama_3", ties=TIED_IF_ONE_SAYS, dims=TEXT, heads=BARE_MODEL,
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_model.", VIDEO_LLAMA3_VISION),
        part("projector.readout.0", "bridge.in",  dense("v -> d")),
        part("projector.readout.2", "bridge.out", dense("d -> d"))))
PATH = rows(                                   # s pixels a side become one
    part("projection", "bridge.in", linear("d*s**2 -> o")),
    under("deepstack_mergers.{N}",
        part("layer_norm", "norm.merger", affine("d*s**2")),
        part("linear_1",   "merger.up",   dense("d*s**2 -> o")),
        part("linear_2",   "merger.down", dense("o -> o"))))
GRANITE_DOCLING_VISION = Architecture("granite_docling_vision", heads=(head("tower VisionModel", ""),),
    dims=VISION | Dims(o="out_hidden_size", N="len(deepstack_visual_indexes)", sc="scale_factor", sf="scale_factor//2"),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p p")),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d")),
        under("connector",
            part("ln_in",   "norm.bridge.in",     affine("d")),
            part("ln_mid",  "norm.bridge.middle", affine("o")),
            part("ln_out",  "norm.bridge.out",    affine("o")),
            part("mlp_fc2", "bridge.out",         linear("o -> o")),
            under("coarse", PATH, s="sc", tower="coarse"),
            under("fine", PATH, s="sf", tower="fine", when="use_fine_route"))))
GRANITE_DOCLING = Architecture("granite_docling", ties=TIES, heads=BARE_MODEL,
                               dims=TEXT | Dims(r="density_router_hidden_size"),
    parts=rows(
        submodel("text",   "text_model.", head="Model"),
        submodel("vision", "vision_model.", GRANITE_DOCLING_VISION),
        under("density_router",
            part("att",  "router.weigh", dense("v -> 1")),
            part("norm", "norm.router",  affine("v")),
            part("fc1",  "router.up",    dense("v -> r")),
            part("fc2",  "router.down",  dense("r -> 1")), when="r != null")))
FAST_VLM = Architecture("fast_vlm", ties=TIED_IF_ONE_SAYS, heads=BARE_MODEL,
    dims=Dims(d="text.d", V="text.V", v="vision_config.hidden_size", b="multimodal_projector_bias"),
    parts=rows(
        submodel("text", "language_model.", head="Model"),
        opaque("vision_tower.", "a network of the timm library"),
        part("multi_modal_projector.linear_1", "bridge.in",  linear("v -> d", bias="b")),
        part("multi_modal_projector.linear_2", "bridge.out", linear("d -> d", bias="b"))))
LFM2_VL = Architecture("lfm2_vl lfm2-vl", heads=BARE_MODEL, dialects=({}, LANGUAGE_FIRST),  # mlx-vlm's
    ties="text_config.tie_embedding | (text_config.tie_word_embeddings | true) when transformers_version[0] == '4' "
         "| tie_word_embeddings | true",
    dims=TEXT | Dims(i="v*downsample_factor**2", b="projector_bias", q="projector_hidden_size"),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", head="tower"),
        part("multi_modal_projector.layer_norm", "norm.bridge", affine("i"), when="projector_use_layernorm | true"),
        part("multi_modal_projector.linear_1",   "bridge.in",   linear("i -> q", bias="b")),
        part("multi_modal_projector.linear_2",   "bridge.out",  linear("q -> d", bias="b"))))
LIGHTON_OCR = Architecture("lighton_ocr", ties=TIES, heads=BARE_MODEL, dims=TEXT | Dims(s="spatial_merge_size"),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_encoder.", head="tower"),
        part("vision_projection.norm",                       "norm.bridge",  scale("v")),
        part("vision_projection.patch_merger.merging_layer", "bridge.merge", linear("v*s**2 -> v")),
        part("vision_projection.linear_1",                   "bridge.in",    linear("v -> d")),
        part("vision_projection.linear_2",                   "bridge.out",   linear("d -> d"))))
ARIA = Architecture("aria", ties=TIES, heads=JOINED, dialects=SPELLINGS,
    dims=TEXT | Dims(n="max_value_projector_patch_to_query_dict"),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", head="tower"),
        under("multi_modal_projector",
            part("query",                                    "embed.query",      param("n v")),
            part("layer_norm",                               "norm.bridge",      affine("v")),
            part("cross_attn.layer_norm",                    "norm.cross.query", affine("v")),
            part("cross_attn.layer_norm_kv",                 "norm.cross.key",   affine("v")),
            part("cross_attn.q_proj",                        "cross.query",      linear("v -> v")),
            part("cross_attn.k_proj",                        "cross.key",        linear("v -> v")),
            part("cross_attn.v_proj",                        "cross.value",      linear("v -> v")),
            part("cross_attn.multihead_attn.in_proj_weight", "cross.qkv",        param("3*v v")),
            part("cross_attn.multihead_attn.in_proj_bias",   "cross.qkv.bias",   param("3*v")),
            part("cross_attn.multihead_attn.out_proj",       "cross.output",     dense("v -> v")),
            part("cross_attn.linear",                        "cross.project",    dense("v -> v")),
            part("feed_forward.linear_in",                   "bridge.in",        linear("v -> d")),
            part("feed_forward.linear_out",                  "bridge.out",       linear("d -> d")), tower="bridge")))
COLPALI_STATE_DICT = {  # names in memory under transformers 5
    "vlm.model.": "vlm.",
}
COLPALI = Architecture("colpali", dims=Dims(d="vlm.d", V="vlm.V", q="embedding_dim"),
                       heads=(head("ForRetrieval", ""),),
    parts=rows(
        submodel("vlm", "vlm.", PALIGEMMA, head="Model"),
        maybe("vlm.lm_head", "head.token", linear("d -> V")),
        part("embedding_proj_layer", "head.project", dense("d -> q"))),
    dialects=({}, {"vlm.model.language_model.": "vlm.language_model.model.", "vlm.model.": "vlm."}, COLPALI_STATE_DICT))
COLQWEN2 = Architecture("colqwen2", dims=Dims(d="vlm.d", V="vlm.V", q="embedding_dim"),
                        heads=(head("ForRetrieval", ""),),
    parts=rows(
        submodel("vlm", "vlm.", QWEN2_VL, head="Model", by_type=True),
        maybe("vlm.lm_head", "head.token", linear("d -> V")),
        part("embedding_proj_layer", "head.project", dense("d -> q"))),
    dialects=({}, {"vlm.language_model.": "vlm.model.language_model.", "vlm.visual.": "vlm.model.visual."}))
HYPERCLOVAX_VISION_V2 = Architecture("hyperclovax_vision_v2", ties="tie_word_embeddings | true", heads=BARE_MODEL,
    dims=TEXT | Dims(o="vision.o"),
    dialects=(
        {},
        {"model.projector.": "model.vision_projector.", "lm_head.": "model.language_model.lm_head."},
        {"model.projector.": "model.vision_projector.", "model.language_model.": "model.language_model.model.",
         "lm_head.": "model.language_model.lm_head."}),
    writers=("transformers in memory", "transformers", "the release"),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_model.", QWEN2_5_VL_VISION),
        part("projector", "bridge.out", dense("o -> d"))))
