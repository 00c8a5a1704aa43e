"""Joined models of one tower, one projector and one text model that spell their parts in ways of their own.

DeepSeek-VL, its hybrid with SAM's tower for high resolutions, LFM2-VL, LightOnOCR, Aria, ColPali, ColQwen2. modeling_aria.py: the
projector attends with learned queries, its torch attention has a fused input. modeling_lfm2_vl.py: pixels are shuffled by `downsample_factor`. modeling_colpali.py,
modeling_colqwen2.py: a whole joined model below `vlm.` and a linear to `embedding_dim`, without the token head in ColPali.
"""

from inspector.architectures.joined_blocks import BARE_MODEL, JOINED, SPELLINGS, TIES
from inspector.architectures.llava import PALIGEMMA
from inspector.architectures.qwen_vl import QWEN2_VL
from inspector.architectures.sam import SAM_VISION
from inspector.notation.card import Architecture, Dims, graft, head, maybe, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param, scale

TEXT = Dims(d="text.d", V="text.V", v="vision.d")
DEEPSEEK_VL = Architecture("deepseek_vl", ties=TIES, dims=TEXT, heads=BARE_MODEL,
    parts=rows(
        graft("text",   "language_model.", head="Model"),
        graft("vision", "vision_model.", head="tower"),
        part("aligner.linear1", "bridge.in",  dense("v -> d")),
        part("aligner.linear2", "bridge.out", dense("d -> d"))))
DEEPSEEK_VL_HYBRID = Architecture("deepseek_vl_hybrid", ties=TIES, dims=TEXT | Dims(w="high_res_vision.d", o="high_res_vision.o"),
    heads=BARE_MODEL,
    parts=rows(
        graft("text",   "language_model.", head="Model"),
        graft("vision", "vision_model.", head="tower"),
        graft("high_res_vision", "high_res_vision_model.", SAM_VISION, head="Model"),
        part("high_res_vision_alpha",           "bridge.scale",           param("1")),
        part("high_res_vision_neck.conv1",       "bridge.neck.1",         conv("w -> o, 1 1", bias=False)),
        part("high_res_vision_neck.layer_norm1", "norm.bridge.neck.1",    affine("o")),
        part("high_res_vision_neck.conv2",       "bridge.neck.2",         conv("o -> o, 3 3", bias=False)),
        part("high_res_vision_neck.layer_norm2", "norm.bridge.neck.2",    affine("o")),
        part("high_res_vision_proj.conv1",       "bridge.conv.1",         conv("o -> 2*o, 3 3", bias=False)),
        part("high_res_vision_proj.conv2",       "bridge.conv.2",         conv("2*o -> 4*o, 3 3", bias=False)),
        part("aligner.vision_proj",              "bridge.in",             dense("v -> d//2")),
        part("aligner.high_res_vision_proj",     "bridge.in.high",        dense("4*o -> d//2")),
        part("aligner.proj",                     "bridge.out",            dense("d -> d"))))
LFM2_VL = Architecture("lfm2_vl lfm2-vl", heads=BARE_MODEL,
    ties="text_config.tie_embedding | (text_config.tie_word_embeddings | true) when transformers_version[0] == '4' | tie_word_embeddings | true",
    dims=TEXT | Dims(i="v*downsample_factor**2", b="projector_bias", q="projector_hidden_size"),
    parts=rows(
        graft("text",   "language_model.", head="Model"),
        graft("vision", "vision_tower.", head="tower"),
        part("multi_modal_projector.layer_norm", "norm.bridge", affine("i"), when="projector_use_layernorm | true"),
        part("multi_modal_projector.linear_1",   "bridge.in",   linear("i -> q", bias="b")),
        part("multi_modal_projector.linear_2",   "bridge.out",  linear("q -> d", bias="b"))))
LIGHTON_OCR = Architecture("lighton_ocr", ties=TIES, heads=BARE_MODEL, dims=TEXT | Dims(s="spatial_merge_size"),
    parts=rows(
        graft("text",   "language_model.", head="Model"),
        graft("vision", "vision_encoder.", head="tower"),
        part("vision_projection.norm",                       "norm.bridge",  scale("v")),
        part("vision_projection.patch_merger.merging_layer", "bridge.merge", linear("v*s**2 -> v")),
        part("vision_projection.linear_1",                   "bridge.in",    linear("v -> d")),
        part("vision_projection.linear_2",                   "bridge.out",   linear("d -> d"))))
ARIA = Architecture("aria", ties=TIES, heads=JOINED, dialects=SPELLINGS,
    dims=TEXT | Dims(n="max_value_projector_patch_to_query_dict"),
    parts=rows(
        graft("text",   "language_model.", head="Model"),
        graft("vision", "vision_tower.", head="tower"),
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
COLPALI = Architecture("colpali", dims=Dims(d="vlm.d", q="embedding_dim"), heads=(head("ForRetrieval", ""),),
    parts=rows(
        graft("vlm", "vlm.", PALIGEMMA, head="Model"),
        part("embedding_proj_layer", "head.project", dense("d -> q"))),
    dialects=({}, {"vlm.model.language_model.": "vlm.language_model.model.", "vlm.model.": "vlm."}))
COLQWEN2 = Architecture("colqwen2", dims=Dims(d="vlm.d", V="vlm.V", q="embedding_dim"), heads=(head("ForRetrieval", ""),),
    parts=rows(
        graft("vlm", "vlm.", QWEN2_VL, head="Model"),
        maybe("vlm.lm_head", "head.token", linear("d -> V")),
        part("embedding_proj_layer", "head.project", dense("d -> q"))),
    dialects=({}, {"vlm.language_model.": "vlm.model.language_model.", "vlm.visual.": "vlm.model.visual."}))
