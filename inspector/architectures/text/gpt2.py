"""GPT-2, its predecessor GPT, and what is built of its layers: Image GPT, the Decision Transformer.

modeling_gpt2.py: every weight of a layer is a Conv1D, stored [in, out]; c_attn holds q, k, v; `add_cross_attention`
adds a second attention whose queries have a matrix of their own. Tied unless the config says otherwise.
The Hub's first files have no `transformer.` prefix and hold the causal masks `attn.bias` and `attn.masked_bias`.
`pruned_heads` narrows the attention of the layers it names.
DialoGPT's files, and others of pytorch-pretrained-bert, have the tied head as `lm_head.decoder`.
The double-heads model sets num_labels to 1 itself before it builds its summary.
modeling_openai.py (GPT): norms behind each half, none at the end; the MLP is always four times as wide.
modeling_imagegpt.py: norms without bias; the head has a row less than the vocabulary, for the token that begins a
picture.
modeling_decision_transformer.py: a GPT-2 under `encoder.` that reads states, actions and returns.
"""

from inspector.architectures.blocks import LM_HEAD, OLD_MASKS
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, linear_io, scale, table

SUMMARY = part("multiple_choice_head.summary", "head.choice", dense("d -> (1 when summary_proj_to_labels | d)"),
               when="summary_use_proj")
FORMER_HEAD = maybe("lm_head.decoder", "head.token.former", linear("d -> V"), tied="embed.token",
                    when="tie_word_embeddings | true")
GPT2 = Architecture("gpt2 gpt-sw3", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="n_embd", L="n_layer", h="n_head", T="n_positions", ff="n_inner | 4*d",
              a="(h - len(pruned_heads[{L}]))*(d/h) | d",
              C="labels"),
    parts=rows(
        part("wte",  "embed.token",    table("V d")),
        part("wpe",  "embed.position", table("T d")),
        part("ln_f", "norm.final",     affine("d")),
        under("h.{L}",
            part("ln_1",         "norm.attention",   affine("d")),
            part("attn.c_attn",  "attention.qkv",    linear_io("d -> a + a + a", bias=True, packs="q k v")),
            part("attn.c_proj",  "attention.output", linear_io("a -> d", bias=True)),
            under("attn", OLD_MASKS),
            part("ln_2",         "norm.mlp",         affine("d")),
            part("mlp.c_fc",     "mlp.up",           linear_io("d -> ff", bias=True)),
            part("mlp.c_proj",   "mlp.down",         linear_io("ff -> d", bias=True))),
        under("h.{L}",
            part("ln_cross_attn",         "norm.cross",   affine("d")),
            part("crossattention.q_attn", "cross.query",  linear_io("d -> d", bias=True)),
            part("crossattention.c_attn", "cross.kv",     linear_io("d -> d + d", bias=True, packs="k v")),
            part("crossattention.c_proj", "cross.output", linear_io("d -> d", bias=True)),
            maybe("crossattention.bias",        "cross.mask",   buffer("1 1 T T")),
            maybe("crossattention.masked_bias", "cross.masked", buffer("")),
            when="add_cross_attention")),
    heads=(
        head("Model",                     ""),
        head("LMHeadModel ForCausalLM",   "transformer.", LM_HEAD, FORMER_HEAD, default=True),
        head("DoubleHeadsModel",          "transformer.", LM_HEAD, SUMMARY),
        head("ForSequenceClassification", "transformer.", part("score", "head.class", linear("d -> C"))),
        head("ForTokenClassification",    "transformer.", part("classifier", "head.class", dense("d -> C"))),
        head("ForQuestionAnswering",      "transformer.", part("qa_outputs", "head.span", dense("d -> 2")))),
    dialects=({}, {"transformer.": ""}))
OPENAI_GPT = Architecture("openai-gpt", ties="tie_word_embeddings | true", dialects=({}, {"transformer.": ""}),
    dims=Dims(V="vocab_size", d="n_embd", L="n_layer", h="n_head", T="n_positions", ff="4*d",
              C="labels"),
    parts=rows(
        part("tokens_embed",    "embed.token",    table("V d")),
        part("positions_embed", "embed.position", table("T d")),
        under("h.{L}",
            part("attn.c_attn", "attention.qkv",    linear_io("d -> d + d + d", bias=True, packs="q k v")),
            part("attn.c_proj", "attention.output", linear_io("d -> d", bias=True)),
            under("attn", OLD_MASKS),
            part("ln_1",        "norm.attention.post", affine("d")),
            part("mlp.c_fc",    "mlp.up",           linear_io("d -> ff", bias=True)),
            part("mlp.c_proj",  "mlp.down",         linear_io("ff -> d", bias=True)),
            part("ln_2",        "norm.mlp.post",    affine("d")))),
    heads=(
        head("Model",                     ""),
        head("LMHeadModel ForCausalLM",   "transformer.", LM_HEAD, FORMER_HEAD),
        head("DoubleHeadsModel",          "transformer.", LM_HEAD, SUMMARY),
        head("ForSequenceClassification", "transformer.", part("score", "head.class", linear("d -> C")))))
IMAGEGPT = Architecture("imagegpt", dims=GPT2.dims,
    parts=rows(
        part("wte",  "embed.token",    table("V d")),
        part("wpe",  "embed.position", table("T d")),
        part("ln_f", "norm.final",     scale("d")),
        under("h.{L}",
            part("ln_1",         "norm.attention",   scale("d")),
            part("attn.c_attn",  "attention.qkv",    linear_io("d -> d + d + d", bias=True, packs="q k v")),
            part("attn.c_proj",  "attention.output", linear_io("d -> d", bias=True)),
            under("attn", OLD_MASKS),
            part("ln_2",         "norm.mlp",         scale("d")),
            part("mlp.c_fc",     "mlp.up",           linear_io("d -> ff", bias=True)),
            part("mlp.c_proj",   "mlp.down",         linear_io("ff -> d", bias=True))),
        under("h.{L}",
            part("ln_cross_attn",         "norm.cross",   scale("d")),
            part("crossattention.q_attn", "cross.query",  linear_io("d -> d", bias=True)),
            part("crossattention.c_attn", "cross.kv",     linear_io("d -> d + d", bias=True, packs="k v")),
            part("crossattention.c_proj", "cross.output", linear_io("d -> d", bias=True)), when="add_cross_attention")),
    heads=(
        head("Model",                  ""),
        head("ForCausalImageModeling", "transformer.", part("lm_head", "head.token", linear("d -> V - 1")),
             default=True),
        head("ForImageClassification", "transformer.", part("score", "head.class", linear("d -> C")))))
DECISION_TRANSFORMER = Architecture("decision_transformer",
                                    dims={**GPT2.dims, "d": "hidden_size", "s": "state_dim", "u": "act_dim"},
    heads=(
        head("GPT2Model", "", GPT2.parts),
        head("Model", "",
            under("encoder", GPT2.parts),
            part("embed_timestep",   "embed.time",     table("max_ep_len d")),
            part("embed_return",     "embed.return",   dense("1 -> d")),
            part("embed_state",      "embed.state",    dense("s -> d")),
            part("embed_action",     "embed.action",   dense("u -> d")),
            part("embed_ln",         "norm.embed",     affine("d")),
            part("predict_state",    "head.state",     dense("d -> s")),
            part("predict_action.0", "head.action",    dense("d -> u")),
            part("predict_return",   "head.return",    dense("d -> 1")), default=True)))
