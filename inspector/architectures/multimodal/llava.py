"""Llava and the models that join a tower, a projector and a text model as it does.

The config chooses the text definition and the vision definition. All vision layers are stored, though
`vision_feature_layer` may be -2; a list of such layers widens the projector's input.
modeling_vipllava.py: a norm before the projector.
modeling_video_llava.py: two towers from one config. modeling_paligemma.py: the projector goes to `projection_dim`.
modeling_gemma3.py: the projector is a bare matrix, [in, out], and the norm before it has the vision's width.
modeling_aya_vision.py, modeling_cohere2_vision.py: pixels are shuffled by `downsample_factor`, the projector is gated.
modeling_mistral3.py, modeling_mistral_large4.py: patches are merged by a linear of the vision's width.
modeling_internvl.py: `int(1 / downsample_ratio)`. Intern-S1 is the same under another type (vLLM's `interns1.py`).
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.multimodal.joined_blocks import (
    BARE_MODEL,
    JOINED,
    LANGUAGE_FIRST,
    SPELLINGS,
    TIED_BY_TEXT_TOO,
    TIES,
)
from inspector.architectures.vision.sam import SAM_VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param, scale

TEXT_AND_VISION = rows(
    submodel("text",   "language_model.", head="Model"),
    submodel("vision", "vision_tower.",   head="tower"))
LLAVA_DIMS = Dims(d="text.d", V="text.V", v="vision.d", n="len(vision_feature_layer) | 1",
                  b="multimodal_projector_bias",
                  C="labels")
PROJECTOR = under("multi_modal_projector",
    part("linear_1", "bridge.in",  linear("v*n -> d", bias="b")),
    part("linear_2", "bridge.out", linear("d -> d", bias="b")))
NEWLINE = part("image_newline", "embed.newline", param("d"))

LLAVA = Architecture("llava", ties=TIED_BY_TEXT_TOO, dims=LLAVA_DIMS, heads=JOINED, dialects=SPELLINGS,
    parts=rows(TEXT_AND_VISION, PROJECTOR))
LLAVA_NEXT = Architecture("llava_next", ties=TIES, dims=LLAVA_DIMS, heads=JOINED,
    dialects=SPELLINGS, parts=rows(TEXT_AND_VISION, PROJECTOR, NEWLINE))
LLAVA_ONEVISION = Architecture("llava_next_video llava_onevision", ties=TIED_BY_TEXT_TOO, dims=LLAVA_DIMS, heads=JOINED,
    dialects=SPELLINGS, parts=rows(TEXT_AND_VISION, PROJECTOR, NEWLINE))
VIPLLAVA = Architecture("vipllava", ties=TIES, dims=LLAVA_DIMS, heads=JOINED, dialects=SPELLINGS,
    parts=rows(
        TEXT_AND_VISION,
        part("multi_modal_projector.projector_layernorm", "norm.bridge", affine("v*n")),
        rows(PROJECTOR, b="true")))
VIDEO_LLAVA = Architecture("video_llava", ties=TIES, dims=LLAVA_DIMS | Dims(v="image.d"), heads=JOINED,
                           dialects=SPELLINGS,
    parts=rows(
        submodel("text",  "language_model.", head="Model"),
        submodel("image", "image_tower.", config="vision_config", head="tower"),
        submodel("video", "video_tower.", config="vision_config", head="tower"),
        PROJECTOR))
PALIGEMMA = Architecture("paligemma", ties=TIES, dims=LLAVA_DIMS, heads=JOINED, dialects=SPELLINGS,
    parts=rows(
        TEXT_AND_VISION,
        part("multi_modal_projector.linear", "bridge.out", dense("v -> projection_dim"))))
GEMMA3 = Architecture("gemma3", ties=TIES, dims=LLAVA_DIMS, dialects=SPELLINGS,
    heads=(*JOINED, head("ForSequenceClassification", "model.", part("score", "head.class", linear("d -> C")))),
    parts=rows(
        TEXT_AND_VISION,
        part("multi_modal_projector.mm_input_projection_weight", "bridge.out",  param("v d")),
        part("multi_modal_projector.mm_soft_emb_norm",           "norm.bridge", scale("v"))))
SHIELDGEMMA2 = Architecture("shieldgemma2", ties="text_config.tie_word_embeddings | true", dims=LLAVA_DIMS,
                            parts=GEMMA3.parts,
    heads=(*GEMMA3.heads, head("ForImageClassification", "model.", LM_HEAD)),
    # the second as transformers 5 writes it: the whole of Gemma 3 below `model.`
    dialects=({}, LANGUAGE_FIRST,
        {"model.language_model.": "model.language_model.model.", "lm_head": "model.language_model.lm_head"},
        {"model.language_model.": "model.model.language_model.model.", "lm_head": "model.lm_head",
         "model.vision_tower.": "model.model.vision_tower.",
         "model.multi_modal_projector.": "model.model.multi_modal_projector."},
        {"model.": "model.model.", "lm_head": "model.lm_head"}))
SHUFFLED = Dims(s="downsample_factor", a="alignment_intermediate_size | d")
AYA_VISION = Architecture("aya_vision", ties=TIES, dims=LLAVA_DIMS | SHUFFLED, heads=JOINED, dialects=SPELLINGS,
    parts=rows(
        TEXT_AND_VISION,
        part("multi_modal_projector.layernorm", "norm.bridge", affine("v*s**2")),
        part("multi_modal_projector.linear_1",  "bridge.in",   dense("v*s**2 -> a")),
        part("multi_modal_projector.linear_2",  "bridge.out",  dense("a//2 -> d"))))
COHERE2_VISION = Architecture("cohere2_vision", ties=TIES, dims=LLAVA_DIMS | SHUFFLED, heads=BARE_MODEL,
                              dialects=SPELLINGS,
    parts=rows(
        TEXT_AND_VISION,
        part("multi_modal_projector.linear_1", "bridge.in",  dense("v*s**2 -> a")),
        part("multi_modal_projector.linear_2", "bridge.out", dense("a//2 -> d"))))
BY_MLX_VLM = {"model.vision_tower.": "vision_tower.vision_model.", **LANGUAGE_FIRST}
MISTRAL3 = Architecture("mistral3", ties=TIES, dims=LLAVA_DIMS | Dims(s="spatial_merge_size"), heads=JOINED,
                        dialects=(*SPELLINGS, BY_MLX_VLM),
    parts=rows(
        TEXT_AND_VISION, PROJECTOR,
        part("multi_modal_projector.norm",                       "norm.bridge",  scale("v")),
        part("multi_modal_projector.patch_merger.merging_layer", "bridge.merge", linear("v*s**2 -> v"))))
MISTRAL_LARGE4_SAVED = {                       # transformers saves the names of the release; its text below, too
    "model.vision_tower.": "vision_encoder.", "model.language_model.": "",
    "model.language_model.embed_tokens.": "tok_embeddings.", "model.language_model.rotary_emb.alpha": "lerope.alpha",
    "lm_head.": "output.",
    "model.multi_modal_projector.norm.": "pre_mm_projector_norm.",
    "model.multi_modal_projector.patch_merger.": "patch_merger.",
    "model.multi_modal_projector.linear_1.": "vision_language_adapter.w_in.",
    "model.multi_modal_projector.linear_2.": "vision_language_adapter.w_out.",
    "*.v_proj.": ".wv.", "*.o_proj.": ".wo.", "*.attention.q_proj.": ".attention.wq.",
    "*.attention.k_proj.": ".attention.wk.",
    **{f"*.{module}.{long}.": f".{module}.{short}." for module in ("feed_forward", "shared_experts")
       for long, short in (("gate_proj", "w1"), ("down_proj", "w2"), ("up_proj", "w3"))}}
MISTRAL_LARGE4 = Architecture("mistral_large4", ties=TIES, dims=LLAVA_DIMS | Dims(s="spatial_merge_size"),
                              heads=BARE_MODEL, dialects=({}, MISTRAL_LARGE4_SAVED), parts=MISTRAL3.parts)
INTERNVL = Architecture("internvl interns1", ties=TIES, dims=LLAVA_DIMS | Dims(s="floor(1/downsample_ratio)"),
    heads=JOINED, dialects=SPELLINGS,
    parts=rows(
        TEXT_AND_VISION,
        part("multi_modal_projector.layer_norm", "norm.bridge", affine("v*s**2")),
        part("multi_modal_projector.linear_1",   "bridge.in",   dense("v*s**2 -> d")),
        part("multi_modal_projector.linear_2",   "bridge.out",  dense("d -> d"))))
GOT_OCR2 = Architecture("got_ocr2 pp_chart2table", ties=TIES, heads=JOINED,
    dims=LLAVA_DIMS | Dims(o="vision_config.output_channels"),
    dialects=SPELLINGS,
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", SAM_VISION, head="tower"),
        part("multi_modal_projector.conv_upsampler1",      "bridge.conv", conv("o -> 2*o, 3 3", bias=False)),
        part("multi_modal_projector.conv_upsampler2",      "bridge.conv", conv("2*o -> d, 3 3", bias=False)),
        part("multi_modal_projector.multimodal_projector", "bridge.out",    dense("d -> d"))))
