"""InternVL as its authors publish it: code of its own in each repository, with any text model as it is.

modeling_internvl_chat.py, modeling_intern_vit.py there (github.com/OpenGVLab/InternVL): InternViT has no last norm, and
norms of queries and keys over the whole width with `qk_normalization`; pixels are shuffled by `1 / downsample_ratio`.
The layers behind `select_layer` are stored too. transformers has the same model as `internvl`, with other names.
H2OVL and Skywork R1V have InternVL's modules under types of their own. NVLM-D (vLLM's `nvlm_d.py`): seven heads more in
the tower, which stay zero; its projector has no bias and the text's inner width.
"""

from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param, scale

INTERN_VIT = Architecture("intern_vit_6b", heads=(head("tower Model", ""),),
    ignores="use_flash_attn drop_path_rate",
    dims=VISION | Dims(layered="norm_type == 'layer_norm'",
                       w="d when num_dummy_heads == null | (h + num_dummy_heads)*(d//h)"),
    parts=rows(
        part("embeddings.class_embedding",    "embed.class",    param("1 1 d")),
        part("embeddings.patch_embedding",    "embed.patch",    conv("3 -> d, p p")),
        part("embeddings.position_embedding", "embed.position", param("1 g+1 d")),
        under("encoder.layers.{L}",
            part("norm1",       "norm.attention",   affine("d", bias="layered")),
            part("norm2",       "norm.mlp",         affine("d", bias="layered")),
            part("ls1",         "attention.scale",  param("d")),
            part("ls2",         "mlp.scale",        param("d")),
            part("attn.qkv",    "attention.qkv",    linear("d -> w + w + w", bias="qkv_bias", packs="q k v")),
            part("attn.q_norm", "norm.query",       scale("w"), when="qk_normalization | true"),
            part("attn.k_norm", "norm.key",         scale("w"), when="qk_normalization | true"),
            part("attn.proj",   "attention.output", dense("w -> d")),
            part("mlp.fc1",     "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",     "mlp.down",         dense("ff -> d")))))
TIES = "llm_config.tie_word_embeddings | false"
IGNORED = ("template select_layer ps_version force_image_size dynamic_image_size use_thumbnail min_dynamic_patch"
           " max_dynamic_patch use_backbone_lora use_llm_lora pad2square use_msac")
SIZES = Dims(d="text.d", V="text.V", v="vision.d", s="floor(1/downsample_ratio)")
TEXT = submodel("text", "language_model.", config="llm_config", head="ForCausalLM")
INTERNVL_CHAT = Architecture("internvl_chat h2ovl_chat skywork_chat", ties=TIES, dims=SIZES, ignores=IGNORED,
    heads=(head("ChatModel", "", default=True),),
    parts=rows(
        submodel("vision", "vision_model.", INTERN_VIT), TEXT,
        part("mlp1.0", "norm.bridge", affine("v*s**2")),
        part("mlp1.1", "bridge.in",   dense("v*s**2 -> d")),
        part("mlp1.3", "bridge.out",  dense("d -> d"))))
NVLM_D = Architecture("NVLM_D", ties=TIES, dims=SIZES | Dims(ff="text.ff"), ignores=IGNORED,
    heads=(head("NVLM_D Model", "", default=True),),
    parts=rows(                                # no record exercises this definition
        submodel("vision", "vision_model.", INTERN_VIT, num_dummy_heads="7"), TEXT,
        part("mlp1.0", "norm.bridge", affine("v*s**2")),
        part("mlp1.1", "bridge.in",   linear("v*s**2 -> ff")),
        part("mlp1.3", "bridge.out",  linear("ff -> d"))))
