"""DeepSeek-OCR and DeepSeek-OCR 2 as their authors publish them: code of their repositories, whose class decides.

Their configs state the type of DeepSeek-VL2, whose modules they do not have; what the code reads are the keys of
DeepSeek V2 outside of the sub-configs. deepencoder.py, deepencoderv2.py: the sizes of the towers and of the projector
are numbers in the code. SAM's ViT-B ends in two convolutions more; the encoder behind it is CLIP's L, or 24 layers of
Qwen2 with a table of queries for each of two resolutions.
"""

from inspector.architectures.blocks import CAUSAL, ENDS, GQA, PRE_NORMS, ROUTER, SHARED, SWIGLU
from inspector.architectures.text.deepseek import DEEPSEEK, DEEPSEEK_V2, MLA
from inspector.architectures.vision.sam import RELATIVE
from inspector.architectures.vision.vision_blocks import CLIP_LAYER_ENDS
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, param, scale, table

TOWER = (head("tower", ""),)
SAM = Architecture("deepseek_ocr_sam", heads=TOWER,
    dims=Dims(d="768", L="12", dh="64", p="16", g="64", w="14", o="output_channels", G="L[2::3]", W="L - G"),
    parts=rows(
        part("patch_embed.proj", "embed.patch",    conv("3 -> d, p p")),
        part("pos_embed",        "embed.position", param("1 g g d")),
        under("blocks.{L}",
            part("norm1",     "norm.attention",   affine("d")),
            part("attn.qkv",  "attention.qkv",    dense("d -> d + d + d", packs="q k v")),
            part("attn.proj", "attention.output", dense("d -> d")),
            part("norm2",     "norm.mlp",         affine("d")),
            part("mlp.lin1",  "mlp.up",           dense("d -> 4*d")),
            part("mlp.lin2",  "mlp.down",         dense("4*d -> d"))),
        under("blocks.{G}", RELATIVE, y="g", x="g"),
        under("blocks.{W}", RELATIVE, y="w", x="w"),
        part("neck.0", "resnet.conv.1", conv("d -> 256, 1 1", bias=False)),
        part("neck.1", "norm.neck",     affine("256")),
        part("neck.2", "resnet.conv.2", conv("256 -> 256, 3 3", bias=False)),
        part("neck.3", "norm.neck",     affine("256")),
        part("net_2",  "bridge.conv",   conv("256 -> 512, 3 3", bias=False)),
        part("net_3",  "bridge.conv",   conv("512 -> o, 3 3", bias=False))))
CLIP = Architecture("deepseek_ocr_clip", dims=Dims(d="1024", L="24", ff="4*d", p="14", g="(224//p)**2"), heads=TOWER,
    parts=rows(
        part("embeddings.class_embedding",    "embed.class",    param("d")),
        part("embeddings.patch_embedding",    "embed.patch",    conv("3 -> d, p p", bias=False)),
        part("embeddings.position_embedding", "embed.position", table("g+1 d")),
        part("pre_layrnorm",                  "norm.embed",     affine("d")),      # sic
        under("transformer.layers.{L}",
            CLIP_LAYER_ENDS,
            part("self_attn.qkv_proj", "attention.qkv", dense("d -> d + d + d", packs="q k v")))))
QWEN2 = Architecture("deepseek_ocr_qwen2", heads=TOWER,
    dims=Dims(d="896", L="24", h="14", kv="2", dh="64", ff="4864"),
    parts=rows(
        under("model.model.layers.{L}", PRE_NORMS, under("self_attn", GQA, b="true"), under("mlp", SWIGLU)),
        part("model.model.norm", "norm.final",  scale("d")),
        part("query_768",        "embed.query", table("144 d")),
        part("query_1024",       "embed.query", table("256 d"))))
TEXT = rows(
    ENDS,
    under("layers.{L}", PRE_NORMS),
    under("layers.{L}.self_attn", MLA, when="use_mla | true"),
    under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias", when="not (use_mla | true)"),
    under("layers.{D}.mlp", SWIGLU),
    under("layers.{M}.mlp",
        ROUTER,
        under("shared_experts", SHARED, ff="fe*S", when="n_shared_experts != null"),
        under("experts.{E}", SWIGLU, ff="fe")))
TEXT_DIMS = Dims(**DEEPSEEK_V2.dims, n="1280") | Dims(M=DEEPSEEK.dims["M"], D=DEEPSEEK.dims["D"])
OF_OTHERS = "candidate_resolutions global_view_pos tile_tag language_config projector_config vision_config"
DEEPSEEK_OCR = Architecture("DeepseekOCRForCausalLM", heads=CAUSAL, dims=TEXT_DIMS, ignores=OF_OTHERS,
    parts=rows(
        TEXT,
        submodel("sam", "sam_model.", SAM, config="vision_config", output_channels="1024", use_rel_pos="true"),
        submodel("clip", "vision_model.", CLIP, config="vision_config"),
        part("projector.layers", "bridge.out",             dense("sam.o + clip.d -> n")),
        part("image_newline",    "embed.newline",          param("n")),
        part("view_seperator",   "embed.separator.global", param("n"))))      # sic
DEEPSEEK_OCR2 = Architecture("DeepseekOCR2ForCausalLM", heads=CAUSAL, dims=TEXT_DIMS, ignores=OF_OTHERS,
    parts=rows(
        TEXT,
        submodel("sam", "sam_model.", SAM, config="vision_config", output_channels="896", use_rel_pos="true"),
        submodel("qwen2", "qwen2_model.", QWEN2, config="vision_config"),
        part("projector.layers", "bridge.out",             dense("qwen2.d -> n")),
        part("view_seperator",   "embed.separator.global", param("n"))))      # sic
