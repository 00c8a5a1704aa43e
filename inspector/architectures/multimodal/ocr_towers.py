"""DeepSeek OCR 2, Unlimited OCR and Qianfan OCR.

modeling_deepseek_ocr2.py, modeling_unlimited_ocr.py: SAM's tower, then two convolutions of `downsample_channels`, then
an encoder that reads their output: Qwen 2's layers with a table of queries for each of two resolutions, or CLIP's
without a patch embedding and without a last norm. The text is a mixture of experts. modeling_qianfan_ocr.py: InternVL's
tower and projector. The authors' names are those that transformers 5 saves: SAM's blocks, CLIP's `transformer`, and q,
k and v in one matrix; of Qianfan OCR it also renames `layers.` of the text model.
"""

from inspector.architectures.blocks import GQA, PRE_NORMS, SWIGLU
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, TIES
from inspector.architectures.text.deepseek import UNLIMITED_OCR_TEXT
from inspector.architectures.vision.pixtral import INTERNVL_EMBEDDINGS, INTERNVL_LAYER_ENDS, INTERNVL_VISION
from inspector.architectures.vision.sam import SAM_VISION
from inspector.architectures.vision.vision_blocks import CLIP_LAYER_ENDS, CLIP_QKV, VISION
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param, scale, table

SAM_NAMES = {                                  # the authors'
    "layers.": "blocks.", "*.layer_norm1.": ".norm1.", "*.layer_norm2.": ".norm2.",
    "patch_embed.projection.": "patch_embed.proj.", "proj.conv1.": "net_2.", "proj.conv2.": "net_3.",
    "neck.conv1.": "neck.0.", "neck.layer_norm1.": "neck.1.", "neck.conv2.": "neck.2.", "neck.layer_norm2.": "neck.3."}
OCR_SAM_VISION = Architecture("deepseek_ocr2_sam_vision_model unlimited_ocr_sam_vision_model", ignores="scale",
    dims=Dims(**SAM_VISION.dims) | Dims(u="downsample_channels[0]", z="downsample_channels[1]"),
    dialects=({}, SAM_NAMES), heads=(head("tower VisionEncoder", ""),),
    parts=rows(
        SAM_VISION.parts,
        part("proj.conv1", "bridge.conv", conv("o -> u, 3 3", bias=False)),
        part("proj.conv2", "bridge.conv", conv("u -> z, 3 3", bias=False))))
DEEPSEEK_OCR2_ENCODER = Architecture("deepseek_ocr2_encoder", heads=(head("tower VisionEncoder", ""),),
    ignores="vocab_size max_window_layers",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d//h", ff="intermediate_size"),
    parts=rows(
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, b="true"), under("mlp", SWIGLU)),
        part("norm", "norm.final", scale("d"))))
DEEPSEEK_OCR2_VISION = Architecture("deepseek_ocr2_vision", dims=Dims(e="encoder.d"),
                                    heads=(head("tower VisionModel", ""),),
    parts=rows(
        submodel("sam",     "sam_encoder.", OCR_SAM_VISION),
        submodel("encoder", "vision_encoder.", DEEPSEEK_OCR2_ENCODER),
        part("query_768_resolution",  "embed.query", table("144 e")),
        part("query_1024_resolution", "embed.query", table("256 e"))))
TEXT_NAMES = {                                 # the authors' of the text model, the projector and SAM
    "model.language_model.": "model.", "model.multi_modal_projector.": "model.projector.layers.",
    "model.view_separator": "model.view_seperator", "model.vision_tower.sam_encoder.": "model.sam_model."}
DEEPSEEK_OCR2_NAMES = {
    **TEXT_NAMES, "model.vision_tower.vision_encoder.": "model.qwen2_model.model.model.",
    "model.vision_tower.query_768_resolution.": "model.qwen2_model.query_768.",
    "model.vision_tower.query_1024_resolution.": "model.qwen2_model.query_1024."}
UNLIMITED_OCR_NAMES = {**TEXT_NAMES, "model.vision_tower.vision_encoder.": "model.vision_model."}


def bare(names: dict[str, str]) -> dict[str, str]:
    """The same names of a model without a head."""
    return {ours.removeprefix("model."): theirs.removeprefix("model.") for ours, theirs in names.items()}


DEEPSEEK_OCR2 = Architecture("deepseek_ocr2", ties=TIES, heads=BARE_MODEL,
    dims=Dims(d="text.d", V="text.V", v="vision.e"), dialects=({}, DEEPSEEK_OCR2_NAMES, bare(DEEPSEEK_OCR2_NAMES)),
    parts=rows(
        submodel("text",   "language_model.", UNLIMITED_OCR_TEXT, head="Model"),
        submodel("vision", "vision_tower.", DEEPSEEK_OCR2_VISION),
        part("multi_modal_projector", "bridge.out",      dense("v -> d")),
        part("view_separator",        "embed.separator.global", param("d"))))
UNLIMITED_OCR_ENCODER = Architecture("unlimited_ocr_vision_encoder", dims=VISION,
    dialects=({}, {"encoder.": "transformer."}), heads=(head("tower VisionEncoder", ""),),
    parts=rows(
        part("embeddings.class_embedding",    "embed.class",    param("d")),
        part("embeddings.position_embedding", "embed.position", table("g+1 d")),
        part("pre_layrnorm",                  "norm.embed",     affine("d")),      # sic
        under("encoder.layers.{L}",
            CLIP_LAYER_ENDS,
            either(
                part("self_attn.qkv_proj", "attention.qkv", dense("d -> d + d + d", packs="q k v")),
                CLIP_QKV))))
UNLIMITED_OCR_VISION = Architecture("unlimited_ocr_vision", heads=(head("tower VisionModel", ""),),
    dims=Dims(i="sam.z + encoder.d"),
    parts=rows(
        submodel("sam",     "sam_encoder.", OCR_SAM_VISION),
        submodel("encoder", "vision_encoder.", UNLIMITED_OCR_ENCODER)))
UNLIMITED_OCR = Architecture("unlimited_ocr", ties=TIES, heads=BARE_MODEL,
    dims=Dims(d="text.d", V="text.V", v="vision.i"), dialects=({}, UNLIMITED_OCR_NAMES, bare(UNLIMITED_OCR_NAMES)),
    parts=rows(
        submodel("text",   "language_model.", UNLIMITED_OCR_TEXT, head="Model"),
        submodel("vision", "vision_tower.", UNLIMITED_OCR_VISION),
        part("multi_modal_projector", "bridge.out",      dense("v -> d")),
        part("image_newline",         "embed.newline",   param("d")),
        part("view_separator",        "embed.separator.global", param("d"))))

INTERNVIT_NAMES = {                            # the authors'
    "layers.": "encoder.layers.", "*.attention.qkv.": ".attn.qkv.", "*.attention.projection_layer.": ".attn.proj.",
    "*.layernorm_before.": ".norm1.", "*.layernorm_after.": ".norm2.", "*.lambda_1": ".ls1", "*.lambda_2": ".ls2",
    "embeddings.cls_token": "embeddings.class_embedding",
    "embeddings.position_embeddings": "embeddings.position_embedding",
    "embeddings.patch_embeddings.projection.": "embeddings.patch_embedding."}
QIANFAN_OCR_VISION = Architecture("qianfan_ocr_vision", dims=INTERNVL_VISION.dims, dialects=({}, INTERNVIT_NAMES),
                                  heads=(head("tower VisionModel", ""),),
    parts=rows(
        INTERNVL_EMBEDDINGS,
        under("layers.{L}",
            INTERNVL_LAYER_ENDS,
            either(
                rows(
                    part("attention.q_proj", "attention.query", linear("d -> d", bias="b")),
                    part("attention.k_proj", "attention.key",   linear("d -> d", bias="b")),
                    part("attention.v_proj", "attention.value", linear("d -> d", bias="b"))),
                part("attention.qkv", "attention.qkv", linear("d -> d + d + d", packs="q k v", bias="b")))),
        part("layernorm", "norm.final", affine("d"), when="not use_mean_pooling")))
QIANFAN_OCR_NAMES = {
    "model.vision_tower.": "vision_model.", "model.language_model.": "language_model.model.",
    "lm_head.": "language_model.lm_head.",
    "model.multi_modal_projector.layer_norm.": "mlp1.0.", "model.multi_modal_projector.linear_1.": "mlp1.1.",
    "model.multi_modal_projector.linear_2.": "mlp1.3."}
QIANFAN_OCR = Architecture("qianfan_ocr", ties=TIES, heads=BARE_MODEL,
    dims=Dims(d="text.d", V="text.V", v="vision.d", s="floor(1/downsample_ratio)"),
    dialects=({}, QIANFAN_OCR_NAMES,
        {**QIANFAN_OCR_NAMES, "model.language_model.layers.": "language_model.model.encoder.layers."},
        {"language_model.layers.": "language_model.encoder.layers."}),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", QIANFAN_OCR_VISION),
        part("multi_modal_projector.layer_norm", "norm.bridge", affine("v*s**2")),
        part("multi_modal_projector.linear_1",   "bridge.in",   dense("v*s**2 -> d")),
        part("multi_modal_projector.linear_2",   "bridge.out",  dense("d -> d"))))
