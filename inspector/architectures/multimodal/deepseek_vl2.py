"""DeepSeek-VL2 as its authors publish it (github.com/deepseek-ai/DeepSeek-VL2).

modeling_deepseek_vl_v2.py there: SigLIP's tower as timm names it, with its pooling head, and a projector
of joined patches; the text is DeepSeek V2's, without `use_mla` with plain attention; where `topk_method` is "noaux_tc"
its routers have V3's bias, which is a parameter here. Two vectors separate rows and views with the tile tag "2D".
"""

from inspector.architectures.text.deepseek import DEEPSEEK, DEEPSEEK_V2
from inspector.architectures.vision.vision_blocks import TIMM_POOL, TIMM_TOWER
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import dense, param

VISION = Architecture("deepseek_vl_v2_vision", heads=(head("tower", ""),), ignores="model_name class_token num_classes",
    dims=Dims(d="width | 1024", L="layers | 24", h="heads", p="patch_size | 16", g="((image_size | 384)//p)**2",
              ff="floor(d*(mlp_ratio | 4))"),
    parts=rows(TIMM_TOWER, rows(TIMM_POOL, when="(global_pool | 'map') == 'map'")))
TEXT = Architecture("deepseek_vl_v2_text", dims=DEEPSEEK_V2.dims, heads=DEEPSEEK_V2.heads,
    parts=rows(
        DEEPSEEK_V2.parts,
        part("layers.{M}.mlp.gate.e_score_correction_bias", "router.correction", param("E"),
             when="topk_method == 'noaux_tc'")))
DEEPSEEK_VL2 = Architecture("deepseek_vl_v2", ignores="candidate_resolutions global_view_pos",
    ties="language_config.tie_word_embeddings | false",
    heads=(head("ForCausalLM", "", default=True),),
    dims=Dims(d="projector_config.n_embed | 2048", i="projector_config.input_dim | 1152",
              s="projector_config.downsample_ratio | 2", m="d*(projector_config.mlp_ratio | 1)",
              N="projector_config.depth | 2", I="2 : 2*N - 2 : 2", E="2*N - 2 : 2*N - 1",
              latent="language_config.use_mla | true"),
    parts=rows(
        submodel("vision", "vision.", VISION, head="tower"),
        under("projector",
            part("token_pooling_layer", "bridge.merge", dense("4*i -> i"), when="projector_config.token_pooling"),
            part("layers.0",   "bridge.in",    dense("i*s*s -> m")),
            part("layers.{I}", "bridge.inner", dense("m -> m")),
            part("layers.{E}", "bridge.out",   dense("m -> d"))),
        part("image_newline",  "embed.newline",          param("d"), when="tile_tag == '2D'"),
        part("view_seperator", "embed.separator.global", param("d")),      # sic
        submodel("plain_text", "language.", DEEPSEEK, config="language_config", head="ForCausalLM", when="not latent"),
        submodel("text", "language.", TEXT, config="language_config", head="ForCausalLM", when="latent")))
