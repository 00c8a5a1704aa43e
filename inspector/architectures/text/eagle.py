"""Draft heads of EAGLE-3, which propose tokens to the model that they were trained for, their target.

EAGLE's `model/cnets.py`: `fc` joins hidden states of three layers of the target; the first layer reads the embedding
next to the output of `fc`, each after a norm; the head has `draft_vocab_size` rows, which `d2t` and `t2d` map to the
target's vocabulary. SGLang's `llama_eagle3.py`: `target_hidden_size` is the width of the target, further layers are as
wide as Llama's, and `midlayer` is the old name of the first; vLLM's speculators keep the keys of the layers in
`transformer_layer_config`. A head without an embedding or without `lm_head` takes the target's.
"""

from inspector.architectures.blocks import DECODER, GQA, PRE_NORMS, SWIGLU
from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rows, under
from inspector.notation.kinds import buffer, linear, scale, table

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
FIRST = rows(HALVES, under("self_attn", WIDE, b="attention_bias"))
CLASSES = "LlamaForCausalLMEagle3 Eagle3LlamaForCausalLM Eagle3Speculator"
EAGLE_3 = Architecture(CLASSES, dims=DIMS, heads=(head(CLASSES, "", default=True),),
    ignores="hidden_act max_position_embeddings norm_before_residual",
    parts=rows(
        maybe("embed_tokens", "embed.token",     table("V d")),
        part("fc",            "mtp.join",        linear("n*t -> d", bias="bias")),
        part("input_norm",    "norm.mtp.join",   scale("n*t"), when="norm_before_fc or eagle_config.norm_before_fc"),
        part("fc_norm.{n}",   "norm.mtp.target", scale("t"),   when="fc_norm or use_aux_norm"),
        part("norm",          "norm.final",      scale("d")),
        part("lm_head",       "head.token",      linear("d -> D"), when="draft_vocab_size != null"),
        maybe("lm_head",      "head.token",      linear("d -> D"), when="draft_vocab_size == null"),
        part("d2t",           "head.map.draft",  buffer("D"),  when="D < V"),
        maybe("d2t",          "head.map.draft",  buffer("D"),  when="D >= V"),
        maybe("t2d",          "head.map.target", buffer("V")),
        either(under("midlayer", FIRST), under("layers.0", FIRST)),
        under("layers.{N}", HALVES, under("self_attn", GQA, b="attention_bias"))))
