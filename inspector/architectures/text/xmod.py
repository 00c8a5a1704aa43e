"""X-MOD: RoBERTa with an adapter for each language in each layer.

modeling_xmod.py: the adapters are named by the codes of `languages`; those of the published models are here.
`adapter_reuse_layer_norm` adds no tensor; with `pre_norm` the encoder ends with a norm.
"""

from inspector.architectures.text.bert import BERT_LAYER
from inspector.architectures.text.roberta import EMBEDDINGS, ENCODER, ROBERTA_HEADS
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, dense

CODES = """
    en_XX id_ID vi_VN ru_RU fa_IR sv_SE ja_XX fr_XX de_DE ro_RO ko_KR hu_HU es_XX fi_FI uk_UA da_DK pt_XX no_XX th_TH
    pl_PL bg_BG nl_XX zh_CN he_IL el_GR it_IT sk_SK hr_HR tr_TR ar_AR cs_CZ lt_LT hi_IN zh_TW ca_ES ms_MY sl_SI lv_LV
    ta_IN bn_IN et_EE az_AZ sq_AL sr_RS kk_KZ ka_GE tl_XX ur_PK is_IS hy_AM ml_IN mk_MK be_BY la_VA te_IN eu_ES gl_ES
    mn_MN kn_IN ne_NP sw_KE si_LK mr_IN af_ZA gu_IN cy_GB eo_EO km_KH ky_KG uz_UZ ps_AF pa_IN ga_IE ha_NG am_ET lo_LA
    ku_TR so_SO my_MM or_IN sa_IN
"""
ADAPTER = rows(
    part("dense1", "adapter.down", dense("d -> d//f")),
    part("dense2", "adapter.up",   dense("d//f -> d")))
ADAPTERS = rows(*(
    under(f"output.adapter_modules.{language}", ADAPTER, when=f"'{language}' in languages", tower=language)
    for language in CODES.split()))
XMOD = Architecture("xmod", ties="tie_word_embeddings | true", heads=ROBERTA_HEADS,
    dims=ENCODER | Dims(f="adapter_reduction_factor"),
    ignores="default_language ln_before_adapter adapter_reuse_layer_norm",
    parts=rows(
        EMBEDDINGS,
        under("encoder.layer.{L}", BERT_LAYER, ADAPTERS,
            part("output.adapter_layer_norm", "norm.adapter", affine("d"), when="adapter_layer_norm")),
        part("encoder.LayerNorm", "norm.final", affine("d"), when="pre_norm")))
