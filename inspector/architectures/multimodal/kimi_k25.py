"""Kimi K2.5 and Kimi-VL: Deepseek V3's text model, a tower that also reads time, and a projector.

modeling_kimi_k25.py: the positions are a grid of their own size, with a time axis that is computed; the projector's
norm has `projection_hidden_size`, and its linears take a whole patch of `merge_kernel_size` pixels. The authors' files
fuse q, k and v, and so does what transformers 5 writes of the joined model, whose layers are called `blocks` in the
text model too. The authors' config says `vt_…` and `init_pos_emb_…` in `vision_config`, and `mm_hidden_size` for the
projector. Kimi-VL (SGLang's `kimi_vl.py`, `kimi_vl_moonvit.py`): the same tower without time under these names, and a
projector whose norm has the width of the tower; `encoder_only` leaves out the text model.
"""

from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, TIES
from inspector.architectures.text.deepseek import DEEPSEEK_V3
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, param

KIMI_K25_VISION = Architecture("kimi_k25_vision", heads=(head("tower VisionModel", ""),),
    dims=Dims(d="vt_hidden_size | hidden_size", L="vt_num_hidden_layers | num_hidden_layers",
              h="vt_num_attention_heads | num_attention_heads", ff="vt_intermediate_size | intermediate_size",
              p="patch_size",
              gh="init_pos_emb_height | pos_emb_height", gw="init_pos_emb_width | pos_emb_width",
              m="(mm_hidden_size | d)*merge_kernel_size[0]*merge_kernel_size[1]"),
    parts=rows(
        part("patch_embed.proj",                        "embed.patch",    conv("3 -> d, p p")),
        part("patch_embed.pos_emb.position_embeddings", "embed.position", param("gh gw d")),
        part("final_layernorm",                         "norm.final",     affine("d")),
        under("layers.{L}",
            part("norm1",     "norm.attention",   affine("d")),
            part("norm2",     "norm.mlp",         affine("d")),
            part("attn.proj", "attention.output", dense("d -> d")),
            part("mlp.fc1",   "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",   "mlp.down",         dense("ff -> d")),
            either(
                rows(
                    part("attn.q_proj", "attention.query", dense("d -> d")),
                    part("attn.k_proj", "attention.key",   dense("d -> d")),
                    part("attn.v_proj", "attention.value", dense("d -> d"))),
                part("wqkv", "attention.qkv", dense("d -> d + d + d", packs="q k v"))))))
AUTHORS = {
    "model.language_model.": "language_model.model.", "lm_head": "language_model.lm_head",
    "model.mm_projector.": "mm_projector.",
    "model.mm_projector.in_proj": "mm_projector.proj.0", "model.mm_projector.out_proj": "mm_projector.proj.2",
    "model.vision_tower.": "vision_tower.",
    "model.vision_tower.layers.": "vision_tower.encoder.blocks.",
    "model.vision_tower.final_layernorm": "vision_tower.encoder.final_layernorm",
    "*.pos_emb.position_embeddings": ".pos_emb.weight",
    "*.norm1.": ".norm0.", "*.norm2.": ".norm1.", "*.mlp.fc1.": ".mlp.fc0.", "*.mlp.fc2.": ".mlp.fc1.",
    "*.attn.proj.": ".wo."}
KIMI_K25 = Architecture("kimi_k25", ties=TIES, heads=BARE_MODEL,
    ignores="ignore_index media_placeholder_token_id use_unified_vision_chunk video_placeholder",
    dims=Dims(d="text.d", V="text.V", v="vision_config.mm_hidden_size | projection_hidden_size", m="vision.m"),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", KIMI_K25_VISION),
        part("mm_projector.pre_norm", "norm.bridge", affine("v")),
        part("mm_projector.in_proj",  "bridge.in",   dense("m -> m")),
        part("mm_projector.out_proj", "bridge.out",  dense("m -> d"))),
    dialects=({}, AUTHORS,
        {**AUTHORS,                            # as transformers 5 writes it
         "model.language_model.layers.": "language_model.model.blocks.",
         "model.vision_tower.patch_embed.proj": "vision_tower.encoder.patch_embed.proj",
         "model.mm_projector.pre_norm": "model.mm_projector.pre_norm"},
        # its bare model
        {"language_model.layers.": "language_model.blocks.", "vision_tower.layers.": "vision_tower.blocks."}))
MOONVIT = Architecture("moonvit", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size", p="patch_size",
              gh="init_pos_emb_height", gw="init_pos_emb_width", m="d*merge_kernel_size[0]*merge_kernel_size[1]"),
    parts=rows(
        part("patch_embed.proj",           "embed.patch",    conv("3 -> d, p p")),
        part("patch_embed.pos_emb.weight", "embed.position", param("gh gw d")),
        under("encoder.blocks.{L}",
            part("norm0",   "norm.attention",   affine("d")),
            part("norm1",   "norm.mlp",         affine("d")),
            part("wqkv",    "attention.qkv",    dense("d -> d + d + d", packs="q k v")),
            part("wo",      "attention.output", dense("d -> d")),
            part("mlp.fc0", "mlp.up",           dense("d -> ff")),
            part("mlp.fc1", "mlp.down",         dense("ff -> d"))),
        part("encoder.final_layernorm", "norm.final", affine("d"))))
KIMI_VL = Architecture("kimi_vl", ties="text_config.tie_word_embeddings | false",
    heads=(head("ForConditionalGeneration", "", default=True),),
    ignores="ignore_index media_placeholder_token_id",
    dims=Dims(d="text.d", V="text.V", v="vision.d", m="vision.m"),
    parts=rows(                                # no record exercises this definition
        submodel("vision", "vision_tower.", MOONVIT, head="tower"),
        under("multi_modal_projector",
            part("pre_norm", "norm.bridge", affine("v")),
            part("linear_1", "bridge.in",   dense("m -> m")),
            part("linear_2", "bridge.out",  dense("m -> d"))),
        submodel("text", "language_model.", DEEPSEEK_V3, config="text_config", head="ForCausalLM",
                 when="not encoder_only")))
