"""OpenVLA and the Prismatic VLMs: two towers of timm side by side, a projector and a text model.

modeling_prismatic.py (github.com/openvla/openvla): DINOv2 L with four registers and SigLIP So400m with its pooling
head; the gains of the first are called `scale_factor`. Other towers (`vision_backbone_id`) are not described.
"""

from inspector.architectures.vision.vision_blocks import TIMM_POOL, TIMM_TOWER
from inspector.notation.definition import Architecture, Dims, head, opaque, part, rows, submodel, under
from inspector.notation.kinds import dense, param

BOTH = "vision_backbone_id in 'dinosiglip-vit-so-224px dinosiglip-vit-so-384px'"
# e, Le, fe: the first tower; v, Lv, fv: the second; g: patches of both
PRISMATIC = Architecture("openvla prismatic", ties="text_config.tie_word_embeddings | false",
    heads=(head("ForActionPrediction ForConditionalGeneration", "", default=True),),
    ignores="arch_specifier hf_llm_id image_resize_strategy image_sizes llm_backbone_id llm_max_length n_action_bins"
            " norm_stats output_projector_states pad_to_multiple_of timm_model_ids timm_override_act_layers"
            " use_fused_vision_backbone",
    dims=Dims(d="text.d", V="text.V", e="1024", Le="24", fe="4096", v="1152", Lv="27", fv="4304", p="14",
              g="(384//p)**2 when vision_backbone_id == 'dinosiglip-vit-so-384px' | (224//p)**2", i="e + v"),
    parts=rows(
        under("vision_backbone.featurizer", TIMM_TOWER,
            part("cls_token", "embed.class",    param("1 1 d")),
            part("reg_token", "embed.register", param("1 4 d")),
            part("blocks.{L}.ls1.scale_factor", "attention.scale", param("d")),
            part("blocks.{L}.ls2.scale_factor", "mlp.scale",       param("d")),
            d="e", L="Le", ff="fe", tower="dino", when=BOTH),
        under("vision_backbone.fused_featurizer", TIMM_TOWER, TIMM_POOL, d="v", L="Lv", ff="fv", tower="siglip",
              when=BOTH),
        opaque("vision_backbone.", "towers that are not described", when=f"not ({BOTH})"),
        under("projector",
            part("fc1", "bridge.in",    dense("i -> 4*i")),
            part("fc2", "bridge.inner", dense("4*i -> d")),
            part("fc3", "bridge.out",   dense("d -> d")), when=BOTH),
        opaque("projector.", "behind towers that are not described", when=f"not ({BOTH})"),
        submodel("text", "language_model.", head="ForCausalLM")))
