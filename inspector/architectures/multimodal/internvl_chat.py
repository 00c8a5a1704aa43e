"""InternVL as its authors publish it: code of its own in each repository, with any text model as it is.

modeling_internvl_chat.py, modeling_intern_vit.py there (github.com/OpenGVLab/InternVL): InternViT has no last norm, and
norms of queries and keys over the whole width with `qk_normalization`; pixels are shuffled by `1 / downsample_ratio`.
The layers behind `select_layer` are stored too. transformers has the same model as `internvl`, with other names.
"""

from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param, scale

INTERN_VIT = Architecture("intern_vit_6b", heads=(head("tower Model", ""),),
    ignores="use_flash_attn drop_path_rate",
    dims=VISION | Dims(layered="norm_type == 'layer_norm'"),
    parts=rows(
        part("embeddings.class_embedding",    "embed.class",    param("1 1 d")),
        part("embeddings.patch_embedding",    "embed.patch",    conv("3 -> d, p p")),
        part("embeddings.position_embedding", "embed.position", param("1 g+1 d")),
        under("encoder.layers.{L}",
            part("norm1",       "norm.attention",   affine("d", bias="layered")),
            part("norm2",       "norm.mlp",         affine("d", bias="layered")),
            part("ls1",         "attention.scale",  param("d")),
            part("ls2",         "mlp.scale",        param("d")),
            part("attn.qkv",    "attention.qkv",    linear("d -> d + d + d", bias="qkv_bias", packs="q k v")),
            part("attn.q_norm", "norm.query",       scale("d"), when="qk_normalization | true"),
            part("attn.k_norm", "norm.key",         scale("d"), when="qk_normalization | true"),
            part("attn.proj",   "attention.output", dense("d -> d")),
            part("mlp.fc1",     "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",     "mlp.down",         dense("ff -> d")))))
INTERNVL_CHAT = Architecture("internvl_chat",
    ties="llm_config.tie_word_embeddings | false",
    heads=(head("ChatModel", "", default=True),),
    ignores="template select_layer ps_version force_image_size dynamic_image_size use_thumbnail min_dynamic_patch"
            " max_dynamic_patch use_backbone_lora use_llm_lora pad2square",
    dims=Dims(d="text.d", V="text.V", v="vision.d", s="floor(1/downsample_ratio)"),
    parts=rows(
        submodel("vision", "vision_model.", INTERN_VIT),
        submodel("text",   "language_model.", config="llm_config", head="ForCausalLM"),
        part("mlp1.0", "norm.bridge", affine("v*s**2")),
        part("mlp1.1", "bridge.in",   dense("v*s**2 -> d")),
        part("mlp1.3", "bridge.out",  dense("d -> d"))))
