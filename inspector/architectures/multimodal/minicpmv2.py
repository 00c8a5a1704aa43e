"""MiniCPM-V 2 to 4.5: code of its own in each repository (github.com/OpenBMB/MiniCPM-V).

modeling_minicpmv.py, resampler.py there: the text model's sizes are at the top of the config. Version 2 has MiniCPM and
a tower of timm, 2.5 Llama 3, 2.6 Qwen 2, 4 MiniCPM 4 and 4.5 Qwen 3 with SigLIP's tower; configs older than 2.6 have
no `version`. The tower's last layer is left out with `drop_vision_last_layer`. The resampler's positions are a
parameter in version 2 alone. vLLM's minicpmv.py has the same list of versions.
"""

from inspector.architectures.blocks import DECODER, ENDS, GQA, LM_HEAD, PRE_NORMS, SWIGLU
from inspector.architectures.multimodal.siglip import SIGLIP_VISION
from inspector.architectures.vision.vision_blocks import RESAMPLER_ATTENTION, TIMM_TOWER
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, param, scale

RESAMPLER = under("resampler", RESAMPLER_ATTENTION,
    part("pos_embed", "embed.query.position", param("n d"), when="timm"),
    part("ln_post",   "norm.bridge",          affine("d")),
    part("proj",      "bridge.out",           param("d d")))
TEXT = under("llm.model",
    ENDS,
    under("layers.{L}", PRE_NORMS,
        under("self_attn", GQA, b="attention_bias or 10*version == 26", bo="attention_bias"),
        part("self_attn.q_norm", "norm.query", scale("dh"), when="10*version == 45"),
        part("self_attn.k_norm", "norm.key",   scale("dh"), when="10*version == 45"),
        under("mlp", SWIGLU)))
SIGLIP = submodel("vision", "vpm.", SIGLIP_VISION, when="not timm", head="tower", vision_use_head="false",
                  num_hidden_layers="vision_config.num_hidden_layers - 1 when drop_vision_last_layer"
                                    " | vision_config.num_hidden_layers")
DIMS = DECODER | Dims(n="query_num", timm="vision_encoder != null", v="1152 when timm | vision.d",
                      Lv="26 when drop_vision_last_layer | 27")
IGNORES = ("batch_vision_input slice_config slice_mode max_slice_nums scale_resolution use_image_id vision_batch_size"
           " mm_use_im_start_end dim_model_base scale_emb scale_depth image_size patch_size")
MINICPMV2 = Architecture("minicpmv", ties="tie_word_embeddings | false",
    heads=(head("MiniCPMV", "", under("llm", LM_HEAD), default=True),), ignores=IGNORES, dims=DIMS,
    parts=rows(
        TEXT,
        # vit_so400m_patch14_siglip_384 without its pooling head
        under("vpm", TIMM_TOWER, when="timm", tower="vision", d="v", L="Lv", g="729", p="14", ff="4304"),
        SIGLIP,
        RESAMPLER))
