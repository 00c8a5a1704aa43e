"""Encoders with rotary positions: ModernBERT, Nomic BERT, GTE.

modeling_modernbert.py: layer 0 has no `attn_norm`; `Wi` is input and gate; five separate switches for biases, while the
classifier itself always has one. modeling_nomic_bert.py: q, k, v fused on disk, no biases in the layers unless the
older config's keys say so; its authors' code has a mixture in every n-th layer (`moe_every_n_layers`), with the experts
below one another, and then no layer has gates. modeling_gte.py: up and gate fused on disk without bias, the way down
has one. Its authors' own code (Alibaba-NLP/new-impl) calls the type `new`.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.bert import NEXT
from inspector.notation.definition import Architecture, Dims, Head, either, head, maybe, part, rows, under
from inspector.notation.kinds import affine, dense, linear, param, table

POOLER = part("pooler.dense", "pooler", dense("d -> d"))
CHOICE = rows(CLASSIFIER, C="1")
MODERN_HEAD = rows(
    part("head.dense", "head.dense", linear("d -> d", bias="classifier_bias")),
    part("head.norm",  "norm.head",  affine("d", bias="norm_bias")))
MODERNBERT = Architecture("modernbert", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", N="L[1:]", ff="intermediate_size",
              C="labels"),
    parts=rows(
        part("embeddings.tok_embeddings",  "embed.token",      table("V d")),
        part("embeddings.norm",            "norm.embed",       affine("d", bias="norm_bias")),
        part("layers.{N}.attn_norm",       "norm.attention",   affine("d", bias="norm_bias")),
        part("layers.{L}.attn.Wqkv",       "attention.qkv",
             linear("d -> d + d + d", packs="q k v", bias="attention_bias")),
        part("layers.{L}.attn.Wo",         "attention.output", linear("d -> d", bias="attention_bias")),
        part("layers.{L}.mlp_norm",        "norm.mlp",         affine("d", bias="norm_bias")),
        part("layers.{L}.mlp.Wi",          "mlp.gate_up",
             linear("d -> ff + ff", packs="gate up", bias="mlp_bias")),
        part("layers.{L}.mlp.Wo",          "mlp.down",         linear("ff -> d", bias="mlp_bias")),
        part("final_norm",                 "norm.final",       affine("d", bias="norm_bias"))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "model.", MODERN_HEAD,
            part("decoder",               "head.token",      linear("d -> V"), tied="embed.token"),
            part("decoder.bias",          "head.token.bias", param("V"), when="decoder_bias")),
        head("ForSequenceClassification", "model.", MODERN_HEAD, CLASSIFIER),
        head("ForTokenClassification",    "model.", MODERN_HEAD, CLASSIFIER),
        head("ForQuestionAnswering",      "model.", MODERN_HEAD, CLASSIFIER),
        head("ForMultipleChoice",         "model.", MODERN_HEAD, CHOICE)))
NOMIC_BERT = Architecture("nomic_bert", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="n_embd | hidden_size", L="n_layer | num_hidden_layers",
              h="n_head | num_attention_heads",
              dh="head_dim | d/h", ff="n_inner | intermediate_size", y="type_vocab_size",
              C="labels", E="num_experts", every="moe_every_n_layers | 0",
              M="L[every > 0 and {L} % max(every, 1) == 1]", D="L - M"),
    parts=rows(
        part("embeddings.word_embeddings",       "embed.token", table("V d")),
        part("embeddings.token_type_embeddings", "embed.type",  table("y d"), when="y > 0"),
        # an empty table of 5
        maybe("embeddings.token_type_embeddings", "embed.type.none", table("y d"), when="y == 0"),
        part("emb_ln",                           "norm.embed",  affine("d")),
        under("encoder.layers.{L}",
            either(
                part("attn.Wqkv", "attention.qkv",
                     linear("d -> h*dh + h*dh + h*dh", packs="q k v", bias="qkv_proj_bias")),
                rows(                          # in transformers 5's memory
                    part("attn.q_proj", "attention.query", linear("d -> h*dh", bias="qkv_proj_bias")),
                    part("attn.k_proj", "attention.key",   linear("d -> h*dh", bias="qkv_proj_bias")),
                    part("attn.v_proj", "attention.value", linear("d -> h*dh", bias="qkv_proj_bias")))),
            part("attn.out_proj", "attention.output", linear("h*dh -> d", bias="qkv_proj_bias")),
            part("norm1",         "norm.attention",   affine("d")),
            part("norm2",         "norm.mlp",         affine("d"))),
        under("encoder.layers.{D}.mlp",
            part("fc1",           "mlp.up",           linear("d -> ff", bias="mlp_fc1_bias"), when="every > 0"),
            part("fc11",          "mlp.up",           linear("d -> ff", bias="mlp_fc1_bias"), when="every == 0"),
            part("fc12",          "mlp.gate",         linear("d -> ff", bias="mlp_fc1_bias"), when="every == 0"),
            part("fc2",           "mlp.down",         linear("ff -> d", bias="mlp_fc2_bias"))),
        under("encoder.layers.{M}.mlp",
            part("router.layer",   "router",           linear("d -> E")),
            part("experts.mlp.w1", "mlp.up",           param("E*ff d")),
            part("experts.mlp.w2", "mlp.down",         param("E*ff d")),
            part("experts.bias",   "mlp.experts.bias", param("d")))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "nomic_bert.", under("cls.predictions",
            part("transform.dense",       "head.dense",      dense("d -> d")),
            part("transform.layer_norm",  "norm.head",       affine("d")),
            part("bias",                  "head.token.bias", param("V")),
            part("decoder",               "head.token",      linear("d -> V"), tied="embed.token"),
            maybe("decoder.bias",         "head.token.copy", param("V"), tied="head.token.bias"))),
        head("ForPreTraining",            "bert.", under("cls.predictions",    # the authors' own code
            part("transform.dense",       "head.dense",      dense("d -> d")),
            part("transform.layer_norm",  "norm.head",       affine("d")),
            maybe("bias",                 "head.token.bias", param("V")),
            part("decoder",               "head.token",      linear("d -> V"), tied="embed.token"),
            maybe("decoder.bias",         "head.token.copy", param("V"))), rows(NEXT, optional=True)),
        head("ForSequenceClassification", "nomic_bert.", CLASSIFIER, under("nomic_bert", POOLER)),
        head("ForTokenClassification",    "nomic_bert.", CLASSIFIER)),
    dialects=({}, {"nomic_bert.": ""}, {       # the last are names in memory under transformers 5
        "*emb_ln.": "embeddings.LayerNorm.", "*encoder.layers.": "layers.", "*.attn.out_proj.": ".self_attn.o_proj.",
        "*.attn.": ".self_attn.", "*.norm1.": ".post_attention_layernorm.", "*.norm2.": ".post_mlp_layernorm.",
        "*.mlp.fc11.": ".mlp.up_proj.", "*.mlp.fc12.": ".mlp.gate_proj.", "*.mlp.fc2.": ".mlp.down_proj."}))


def gte_heads(root: str) -> tuple[Head, ...]:
    """The classes of GTE, whose body is below a root."""
    return (
        head("Model",                     "",           maybe("pooler.dense", "pooler", dense("d -> d"))),
        head("ForMaskedLM",               f"{root}.",
            part("lm_head.dense",         "head.dense",      dense("d -> d")),
            part("lm_head.norm",          "norm.head",       affine("d")),
            part("lm_head.decoder",       "head.token",      linear("d -> V"), tied="embed.token"),
            part("lm_head.decoder.bias",  "head.token.bias", param("V"))),
        head("ForSequenceClassification", f"{root}.", CLASSIFIER, under(root, POOLER)),
        head("ForTokenClassification",    f"{root}.", CLASSIFIER))


GTE = Architecture("gte",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="head_dim | d/h",
              ff="intermediate_size", y="type_vocab_size", C="labels"),
    parts=rows(
        part("embeddings.word_embeddings",       "embed.token", table("V d")),
        part("embeddings.token_type_embeddings", "embed.type",  table("y d"), when="y > 0"),
        part("embeddings.LayerNorm",             "norm.embed",  affine("d")),
        under("encoder.layer.{L}",
            either(
                part("attention.qkv_proj", "attention.qkv", dense("d -> h*dh + h*dh + h*dh", packs="q k v")),
                rows(                          # in transformers 5's memory
                    part("attention.q_proj", "attention.query", dense("d -> h*dh")),
                    part("attention.k_proj", "attention.key",   dense("d -> h*dh")),
                    part("attention.v_proj", "attention.value", dense("d -> h*dh")))),
            part("attention.o_proj",   "attention.output", dense("h*dh -> d")),
            part("attn_ln",            "norm.attention",   affine("d")),
            either(
                part("mlp.up_gate_proj", "mlp.gate_up", linear("d -> ff + ff", packs="up gate")),
                rows(
                    part("mlp.up_proj",   "mlp.up",   linear("d -> ff")),
                    part("mlp.gate_proj", "mlp.gate", linear("d -> ff")))),
            part("mlp.down_proj",      "mlp.down",         dense("ff -> d")),
            part("mlp_ln",             "norm.mlp",         affine("d")))),
    dialects=({}, {                            # names in memory under transformers 5
        "lm_head.norm.": "lm_head.layer_norm.", "*encoder.layer.": "layers.", "*.attention.": ".self_attn.",
        "*.attn_ln.": ".post_attention_layernorm.", "*.mlp_ln.": ".post_mlp_layernorm."}),
    heads=gte_heads("gte"))
