"""Encoder-decoders related to BART: LED, BigBird-Pegasus, MVP, Pegasus-X, NLLB-MoE, FSMT, ProphetNet.

modeling_led.py: the encoder has q, k, v twice (for the global tokens); each side its own number of positions.
modeling_bigbird_pegasus.py: `use_bias` reaches all projections. modeling_mvp.py: prompts are made by two linears.
modeling_pegasus_x.py: projections without bias, global tokens on the encoder's side, no stored positions.
modeling_nllb_moe.py: sparse every n-th layer counting from 1. modeling_fsmt.py: sinusoids of T + pad_token_id + 1 rows,
a vocabulary for each side, stored without a separate head (`decoder.output_projection`). modeling_prophetnet.py: the
table is above both sides; relative positions are computed by a linear with `num_buckets` outputs a head.
"""

from inspector.architectures.text.bart import (
    BART_DECODER,
    BART_DECODER_COPY,
    BART_DIMS,
    BART_ENCODER,
    CAUSAL_HEAD,
    CLASSES,
    COPY,
    CROSS,
    DECODER_LAYERS,
    EMBED_NORM,
    FINAL_NORM,
    LM_HEAD,
    MLP,
    NORMS,
    OWN_TABLE,
    POSITIONS,
    SELF,
    SHARED,
    SHARED_HEAD,
    SPAN,
)
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, dense, linear, table

LED_BOTH = rows(SHARED, BART_DECODER_COPY,
    under("encoder", COPY, POSITIONS, EMBED_NORM, tower="encoder", P="Te"),
    under("encoder.layers.{Le}", MLP, NORMS, ff="fe", tower="encoder"),
    under("encoder.layers.{Le}.self_attn",
        part("longformer_self_attn.query",        "attention.query",        dense("d -> d")),
        part("longformer_self_attn.key",          "attention.key",          dense("d -> d")),
        part("longformer_self_attn.value",        "attention.value",        dense("d -> d")),
        part("longformer_self_attn.query_global", "attention.global.query", dense("d -> d")),
        part("longformer_self_attn.key_global",   "attention.global.key",   dense("d -> d")),
        part("longformer_self_attn.value_global", "attention.global.value", dense("d -> d")),
        part("output",                            "attention.output",       dense("d -> d")), tower="encoder"),
    under("decoder", POSITIONS, EMBED_NORM, DECODER_LAYERS, tower="decoder", P="Td"))
LED = Architecture("led", ties="tie_word_embeddings | true",
    dims=BART_DIMS | Dims(Te="max_encoder_position_embeddings", Td="max_decoder_position_embeddings"),
    heads=(
        head("Model",                     "", LED_BOTH),
        head("ForConditionalGeneration",  "", under("led", LED_BOTH), LM_HEAD, default=True),
        head("ForSequenceClassification", "", under("led", LED_BOTH), CLASSES),
        head("ForQuestionAnswering",      "", under("led", LED_BOTH), SPAN)))

BIG_DECODER = under("decoder", POSITIONS, EMBED_NORM, DECODER_LAYERS, tower="decoder", P="T", b="use_bias")
BIG_BOTH = rows(SHARED, BART_DECODER_COPY, BIG_DECODER,
    under("encoder", COPY, POSITIONS, EMBED_NORM, tower="encoder", P="T"),
    under("encoder.layers.{Le}", MLP, NORMS, ff="fe", tower="encoder"),
    under("encoder.layers.{Le}.self_attn",
        part("self.query", "attention.query",  linear("d -> d", bias="use_bias")),
        part("self.key",   "attention.key",    linear("d -> d", bias="use_bias")),
        part("self.value", "attention.value",  linear("d -> d", bias="use_bias")),
        part("output",     "attention.output", linear("d -> d", bias="use_bias")), tower="encoder"))
BIGBIRD_PEGASUS = Architecture("bigbird_pegasus", ties="tie_word_embeddings | true", dims=BART_DIMS,
    heads=(
        head("Model",                     "", BIG_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", BIG_BOTH), LM_HEAD, default=True),
        head("ForSequenceClassification", "model.", under("model", BIG_BOTH), CLASSES),
        head("ForQuestionAnswering",      "model.", under("model", BIG_BOTH), SPAN),
        head("ForCausalLM",               "", under("model", BIG_DECODER, under("decoder", OWN_TABLE, tower="decoder")),
            part("lm_head",  "head.token", linear("d -> V"), tied="embed.token", when="transformers_version[0] == '4'"),
            # which does not tie it
            part("lm_head",  "head.token", linear("d -> V"), when="transformers_version[0] == '5'"),
            maybe("lm_head", "head.token", linear("d -> V"), when="transformers_version == null"))))

PROMPT = rows(
    part("prompt_embedding", "embed.prompt",         table("prompt_length d")),
    part("prompt_trans.0",   "embed.prompt.up",      dense("d -> prompt_mid_dim")),
    part("prompt_trans.2",   "embed.prompt.down",    dense("prompt_mid_dim -> 2*N*d")))
CROSS_PROMPT = rows(
    part("prompt_embedding", "cross.prompt",         table("prompt_length d")),
    part("prompt_trans.0",   "cross.prompt.up",      dense("d -> prompt_mid_dim")),
    part("prompt_trans.2",   "cross.prompt.down",    dense("prompt_mid_dim -> 2*N*d")))
MVP_DECODER = rows(BART_DECODER,
    under("decoder.self_attn_prompt",  PROMPT,       when="use_prompt", tower="decoder", N="Ld"),
    under("decoder.cross_attn_prompt", CROSS_PROMPT, when="use_prompt", tower="decoder", N="Ld"))
MVP_BOTH = rows(SHARED, BART_ENCODER, MVP_DECODER, BART_DECODER_COPY,
    # not built by 5
    under("encoder.self_attn_prompt",  PROMPT,       when="use_prompt", tower="encoder", N="Le", optional=True))
MVP = Architecture("mvp", ties="tie_word_embeddings | true", dims=BART_DIMS,
    heads=(
        head("Model",                     "", MVP_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", MVP_BOTH), LM_HEAD, default=True),
        head("ForSequenceClassification", "model.", under("model", MVP_BOTH), CLASSES),
        head("ForQuestionAnswering",      "model.", under("model", MVP_BOTH), SPAN),
        head("ForCausalLM",               "",
             under("model", BART_DECODER, under("decoder", OWN_TABLE, tower="decoder")),
            CAUSAL_HEAD)))

PEGASUS_X_BOTH = rows(SHARED, BART_DECODER_COPY,
    under("encoder", COPY, FINAL_NORM, part("embed_global", "embed.global", table("num_global_tokens d")),
          tower="encoder"),
    under("encoder.layers.{Le}", SELF, MLP, NORMS,
        part("global_self_attn_layer_norm", "norm.attention.global", affine("d")), tower="encoder", ff="fe", b="false"),
    under("decoder", DECODER_LAYERS, FINAL_NORM, tower="decoder", b="false"))
PEGASUS_X = Architecture("pegasus_x", ties="tie_word_embeddings | true", dims=BART_DIMS,
    heads=(
        head("Model",                     "", PEGASUS_X_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", PEGASUS_X_BOTH), SHARED_HEAD, default=True)))

NLLB_FFN = rows(
    under("layers.{N}.ffn",                       MLP),
    under("layers.{M}.ffn.experts.expert_{E}",    MLP),
    part("layers.{M}.ffn.router.classifier",      "router",   linear("d -> E", bias="router_bias")),
    part("layers.{N}.ff_layer_norm",              "norm.mlp", affine("d")),
    part("layers.{M}.ff_layer_norm",              "norm.mlp.sparse", affine("d")))
NLLB_SELF = rows(SELF, part("self_attn_layer_norm", "norm.attention", affine("d")))
NLLB_BOTH = rows(SHARED, BART_DECODER_COPY,
    under("encoder", COPY, FINAL_NORM, rows(NLLB_FFN, N="Ne", M="Me", ff="fe"), tower="encoder"),
    under("encoder.layers.{Le}", NLLB_SELF, tower="encoder"),
    under("decoder", FINAL_NORM, rows(NLLB_FFN, N="Nd", M="Md", ff="fd"), tower="decoder"),
    under("decoder.layers.{Ld}", NLLB_SELF,
        under("cross_attention",
            part("q_proj",   "cross.query",  dense("d -> d")),
            part("k_proj",   "cross.key",    dense("d -> d")),
            part("v_proj",   "cross.value",  dense("d -> d")),
            part("out_proj", "cross.output", dense("d -> d"))),
        part("cross_attention_layer_norm", "norm.cross", affine("d")), tower="decoder"))
NLLB_MOE = Architecture("nllb-moe", ties="tie_word_embeddings | true",
    dims=BART_DIMS | Dims(E="num_experts", se="encoder_sparse_step", sd="decoder_sparse_step",
                          Me="Le[({Le}+1) % se == 0] when se > 0 | Le[:0]",
                          Md="Ld[({Ld}+1) % sd == 0] when sd > 0 | Ld[:0]",
                          Ne="Le - Me", Nd="Ld - Md"),
    heads=(
        head("Model",                     "", NLLB_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", NLLB_BOTH), SHARED_HEAD, default=True)))

FSMT_BOTH = rows(
    under("encoder", part("embed_tokens", "embed.token", table("Vs d"), tied="head.token"),
          POSITIONS, under("layers.{Le}", SELF, MLP, NORMS, ff="fe"), tower="encoder", P="rows"),
    maybe("decoder.embed_tokens",     "embed.token.decoder", table("Vt d"), tied="head.token"),   # 4 always ties it
    part("decoder.output_projection", "head.token",          linear("d -> Vt")),
    under("decoder", POSITIONS, under("layers.{Ld}", SELF, CROSS, MLP, NORMS, ff="fd"), tower="decoder", P="rows"))
FSMT = Architecture("fsmt",
    dims=BART_DIMS | Dims(Vs="src_vocab_size", Vt="tgt_vocab_size", rows="T + pad_token_id + 1"),
    heads=(
        head("Model",                     "", FSMT_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", FSMT_BOTH), default=True)))

PROPHET_SELF = rows(
    part("query_proj", "attention.query",  dense("d -> d")),
    part("key_proj",   "attention.key",    dense("d -> d")),
    part("value_proj", "attention.value",  dense("d -> d")),
    part("out_proj",   "attention.output", dense("d -> d")))
PROPHET_LAYER = rows(
    under("self_attn", PROPHET_SELF),
    part("self_attn_layer_norm",      "norm.attention", affine("d")),
    part("feed_forward.intermediate", "mlp.up",         dense("d -> ff")),
    part("feed_forward.output",       "mlp.down",       dense("ff -> d")),
    part("feed_forward_layer_norm",   "norm.mlp",       affine("d")))
PROPHET_COPY = maybe("word_embeddings", "embed.token", table("V d"), tied="embed.shared")
PROPHET_OWN = part("word_embeddings", "embed.token", table("V d"))
PROPHET_ENDS = rows(
    part("position_embeddings",       "embed.position", table("T d")),
    part("embeddings_layer_norm",     "norm.embed",     affine("d")))
PROPHET_ENCODER = rows(PROPHET_ENDS, under("layers.{Le}", PROPHET_LAYER, ff="fe"))
PROPHET_DECODER = rows(PROPHET_ENDS,
    part("ngram_embeddings", "embed.ngram", table("ngram d")),
    under("layers.{Ld}", PROPHET_LAYER, ff="fd"),
    part("layers.{Ld}.self_attn.relative_pos_embeddings", "attention.bias", dense("d -> num_buckets*h")),
    under("layers.{Ld}",
        part("cross_attn.query_proj", "cross.query",  dense("d -> d")),
        part("cross_attn.key_proj",   "cross.key",    dense("d -> d")),
        part("cross_attn.value_proj", "cross.value",  dense("d -> d")),
        part("cross_attn.out_proj",   "cross.output", dense("d -> d")),
        part("cross_attn_layer_norm", "norm.cross",   affine("d")), when="add_cross_attention"))
PROPHET_TABLE = part("word_embeddings", "embed.shared", table("V d"))
PROPHET_SIDE = rows(PROPHET_TABLE, under("decoder", PROPHET_COPY, PROPHET_DECODER, tower="decoder"))
PROPHET_BOTH = rows(PROPHET_SIDE, under("encoder", PROPHET_COPY, PROPHET_ENCODER, tower="encoder"))
PROPHETNET = Architecture("prophetnet xlm-prophetnet", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="hidden_size", h="num_decoder_attention_heads", Le="num_encoder_layers",
              Ld="num_decoder_layers", fe="encoder_ffn_dim", fd="decoder_ffn_dim", T="max_position_embeddings"),
    heads=(
        head("Model",                     "", PROPHET_BOTH),
        head("ForConditionalGeneration",  "", under("prophetnet", PROPHET_BOTH), SHARED_HEAD, default=True),
        head("ForCausalLM",               "", under("prophetnet", PROPHET_SIDE), SHARED_HEAD),
        head("Encoder",                   "", PROPHET_OWN, PROPHET_ENCODER),
        head("Decoder",                   "", PROPHET_OWN, PROPHET_DECODER)))
