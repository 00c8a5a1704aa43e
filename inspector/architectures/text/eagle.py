"""Draft heads, which propose tokens to the model that they were trained for, their target: EAGLE and DFlash.

EAGLE's `model/cnets.py`: `fc` joins hidden states of three layers of the target; the first layer reads the embedding
next to the output of `fc`, each after a norm; the head has `draft_vocab_size` rows, which `d2t` and `t2d` map to the
target's vocabulary. SGLang's `llama_eagle3.py`: `target_hidden_size` is the width of the target, further layers are as
wide as Llama's, and `midlayer` is the old name of the first; vLLM's speculators keep the keys of the layers in
`transformer_layer_config`. A head without an embedding or without `lm_head` takes the target's. Drafts of
Qwen3 norm queries and keys; those of Deepseek (vLLM's `deepseek_eagle3.py`) have its latent attention, which reads the
wide input of the first layer in its two narrow projections.
The first EAGLE (`model/cnets1.py`): `fc` joins the embedding of a token and one hidden state; the first layer has no
norm before its attention, and none follows the last; `bias` says whether `fc` has a bias, as it has without this key.
DFlash (dflash/model.py of z-lab/dflash): Qwen3's layers after `fc`, which joins as many hidden states of the target as
`target_layer_ids` names. Variants whose names no published code states are not checked.
"""

from inspector.architectures.blocks import DECODER, GQA, PRE_NORMS, QK_NORM, SWIGLU
from inspector.architectures.text.deepseek import MLA, MLA_DIMS
from inspector.notation.definition import Architecture, Dims, either, head, maybe, opaque, part, rows, under
from inspector.notation.kinds import buffer, dense, linear, param, scale, table

INSIDE = "transformer_layer_config"
DIMS = DECODER | Dims(
    V=f"{INSIDE}.vocab_size | vocab_size", d=f"{INSIDE}.hidden_size | hidden_size",
    L=f"{INSIDE}.num_hidden_layers | num_hidden_layers", h=f"{INSIDE}.num_attention_heads | num_attention_heads",
    kv=f"{INSIDE}.num_key_value_heads | num_key_value_heads | h", dh=f"{INSIDE}.head_dim | head_dim | d/h",
    ff=f"{INSIDE}.intermediate_size | intermediate_size", D="draft_vocab_size | V", t="target_hidden_size | d",
    n="num_aux_hidden_states | len(eagle_config.eagle_aux_hidden_state_layer_ids) | "
      "len(eagle_aux_hidden_state_layer_ids) | 3",
    N="L[1:]")
WIDE = rows(
    part("q_proj", "attention.query",  linear("d + d -> h*dh",  bias="b")),
    part("k_proj", "attention.key",    linear("d + d -> kv*dh", bias="b")),
    part("v_proj", "attention.value",  linear("d + d -> kv*dh", bias="b")),
    part("o_proj", "attention.output", linear("h*dh -> d")))
HALVES = rows(
    PRE_NORMS,
    part("hidden_norm", "norm.mtp.hidden", scale("d")),
    under("mlp", SWIGLU))
SOME_NORMS = rows(QK_NORM, optional=True)
FIRST = rows(HALVES, under("self_attn", WIDE, SOME_NORMS, b="attention_bias"))
WIDE_MLA = rows(
    part("q_proj",             "attention.query",      linear("d + d -> h*(dn+dr)"), when="q_lora_rank == null"),
    rows(
        part("q_a_proj",       "attention.query.down", linear("d + d -> q", bias="attention_bias")),
        part("q_a_layernorm",  "norm.query",           scale("q")),
        part("q_b_proj",       "attention.query.up",   linear("q -> h*(dn+dr)")), when="q_lora_rank != null"),
    part("kv_a_proj_with_mqa", "attention.kv.down",
         linear("d + d -> r + dr", bias="attention_bias", packs="latent rotary")),
    part("kv_a_layernorm",     "norm.kv",              scale("r")),
    part("kv_b_proj",          "attention.kv.up",      linear("r -> h*(dn + dv)", packs="key value")),
    part("o_proj",             "attention.output",     linear("h*dv -> d", bias="attention_bias")))
FIRST_MLA = rows(HALVES, under("self_attn", WIDE_MLA))
ENDS_OF_3 = rows(
    maybe("embed_tokens", "embed.token",     table("V d")),
    part("fc",            "mtp.join",        linear("n*t -> d", bias="bias")),
    part("input_norm",    "norm.mtp.join",   scale("n*t"), when="norm_before_fc or eagle_config.norm_before_fc"),
    part("fc_norm.{n}",   "norm.mtp.target", scale("t"),   when="fc_norm or use_aux_norm"),
    part("norm",          "norm.final",      scale("d")),
    part("lm_head",       "head.token",      linear("d -> D"), when="draft_vocab_size != null"),
    maybe("lm_head",      "head.token",      linear("d -> D"), when="draft_vocab_size == null"),
    part("d2t",           "head.map.draft",  buffer("D"),  when="D < V"),
    maybe("d2t",          "head.map.draft",  buffer("D"),  when="D >= V"),
    maybe("t2d",          "head.map.target", buffer("V")))
CLASSES = "LlamaForCausalLMEagle3 Eagle3LlamaForCausalLM Eagle3Speculator"
EAGLE_3 = Architecture(CLASSES, dims=DIMS, heads=(head(CLASSES, "", default=True),),
    ignores="hidden_act max_position_embeddings norm_before_residual",
    parts=rows(
        ENDS_OF_3,
        either(under("midlayer", FIRST), under("layers.0", FIRST)),
        under("layers.{N}", HALVES, under("self_attn", GQA, SOME_NORMS, b="attention_bias"))))
OF_DEEPSEEK = "Eagle3DeepseekV2ForCausalLM Eagle3DeepseekV3ForCausalLM"
EAGLE_3_MLA = Architecture(OF_DEEPSEEK, dims=DIMS | MLA_DIMS, heads=(head(OF_DEEPSEEK, "", default=True),),
    ignores="hidden_act max_position_embeddings norm_before_residual norm_output qk_head_dim",
    parts=rows(                                # no record exercises this definition
        ENDS_OF_3,
        either(under("midlayer", FIRST_MLA), under("layers.0", FIRST_MLA)),
        under("layers.{N}", HALVES, under("self_attn", MLA))))
OF_EAGLE_1 = "EagleLlamaForCausalLM LlamaForCausalLMEagle"
EAGLE_1 = Architecture(OF_EAGLE_1, dims=DECODER | Dims(N="L[1:]"), heads=(head(OF_EAGLE_1, "", default=True),),
    ignores="hidden_act max_position_embeddings",
    parts=rows(
        maybe("embed_tokens", "embed.token", table("V d")),
        maybe("lm_head",      "head.token",  linear("d -> V")),
        part("fc",            "mtp.join",    linear("d + d -> d", bias="bias"), when="bias != null"),
        rows(
            either(part("fc", "mtp.join", dense("d + d -> d")), part("fc", "mtp.join", linear("d + d -> d"))),
            when="bias == null"),
        part("layers.{N}.input_layernorm", "norm.attention", scale("d")),
        under("layers.{L}",
            part("post_attention_layernorm", "norm.mlp", scale("d")),
            under("self_attn", GQA, b="qkv_bias"),
            under("mlp", SWIGLU))))
OTHER_DFLASH = ("transformer_layer_config != null or dflash_config.attention_sink_bias or add_swa_attention_sink_bias"
                " or dflash_config.conv_kernel_size != null or dflash_config.projector_type != null")
DFLASH = Architecture("DFlashDraftModel",
    sign="hidden_norm.",
    dims=DECODER | Dims(n="len(dflash_config.target_layer_ids) | L", t="target_hidden_size | d", dh="head_dim | d//h"),
    heads=(head("DFlashDraftModel", "", default=True),),
    ignores="hidden_act max_position_embeddings block_size num_target_layers mask_token_id tie_word_embeddings",
    parts=rows(
        opaque("", "another kind of draft than DFlash's own", when=OTHER_DFLASH),
        rows(
            part("fc",              "mtp.join",        linear("n*t -> d")),
            part("hidden_norm",     "norm.mtp.hidden", scale("d")),
            part("norm",            "norm.final",      scale("d")),
            maybe("embed_tokens",   "embed.token",     table("V d")),
            maybe("lm_head",        "head.token",      linear("d -> (draft_vocab_size | V)")),
            maybe("mask_embedding", "embed.mask",      param("d")),
            under("layers.{L}", PRE_NORMS,
                under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
                under("mlp", SWIGLU)), when=f"not ({OTHER_DFLASH})")))
