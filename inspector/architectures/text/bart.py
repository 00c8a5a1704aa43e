"""BART and its kin: mBART, PLBart, Pegasus, Marian, M2M-100, Blenderbot, LED, BigBird-Pegasus, MVP, NLLB-MoE.

modeling_bart.py: learned positions of T+2 rows and a norm after the embeddings; `final_logits_bias` is a buffer;
encoder and decoder are of one width, their MLPs not; with untied embeddings transformers 5 stores a table for each
side, 4 only `shared`. modeling_mbart.py: a final norm on each side besides. modeling_pegasus.py: sinusoids, stored and
counted, T rows, no norm after the embeddings. modeling_marian.py: sinusoids are parameters that are not saved;
`decoder_vocab_size` without shared tables. modeling_m2m_100.py: sinusoids are buffers that are not saved.
modeling_led.py: the encoder has q, k, v twice (for the global tokens) and its own number of positions.
modeling_bigbird_pegasus.py: `use_bias` reaches all projections. ForCausalLM keeps `model.decoder.`, and the cross
attention with it.
"""

from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, dense, linear, table

BART_DIMS = Dims(V="vocab_size", d="d_model", Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim",
                 fd="decoder_ffn_dim", T="max_position_embeddings", b="true", C="labels")
SELF = under("self_attn",
    part("q_proj",               "attention.query",  linear("d -> d", bias="b")),
    part("k_proj",               "attention.key",    linear("d -> d", bias="b")),
    part("v_proj",               "attention.value",  linear("d -> d", bias="b")),
    part("out_proj",             "attention.output", linear("d -> d", bias="b")))
CROSS = rows(
    under("encoder_attn",
        part("q_proj",           "cross.query",      linear("d -> d", bias="b")),
        part("k_proj",           "cross.key",        linear("d -> d", bias="b")),
        part("v_proj",           "cross.value",      linear("d -> d", bias="b")),
        part("out_proj",         "cross.output",     linear("d -> d", bias="b"))),
    part("encoder_attn_layer_norm", "norm.cross",    affine("d")))
MLP = rows(
    part("fc1",                  "mlp.up",           dense("d -> ff")),
    part("fc2",                  "mlp.down",         dense("ff -> d")))
NORMS = rows(
    part("self_attn_layer_norm", "norm.attention",   affine("d")),
    part("final_layer_norm",     "norm.mlp",         affine("d")))
POSITIONS = part("embed_positions",     "embed.position", table("P d"))
EMBED_NORM = part("layernorm_embedding", "norm.embed",    affine("d"))
FINAL_NORM = part("layer_norm",          "norm.final",    affine("d"))
COPY = maybe("embed_tokens", "embed.token", table("V d"), tied="embed.shared")
SHARED = part("shared", "embed.shared", table("V d"))
ENCODER_LAYERS = under("layers.{Le}", SELF, MLP, NORMS, ff="fe")
DECODER_LAYERS = under("layers.{Ld}", SELF, CROSS, MLP, NORMS, ff="fd")
LM_HEAD = rows(
    part("lm_head",           "head.token",      linear("d -> V"), tied="embed.shared"),
    part("final_logits_bias", "head.token.bias", buffer("1 V")))
OWN_TABLE = part("embed_tokens", "embed.token", table("V d"))
CAUSAL_HEAD = part("lm_head", "head.token", linear("d -> V"), tied="embed.token")
CLASSES = under("classification_head",
    part("dense",    "head.dense", dense("d -> d")),
    part("out_proj", "head.class", dense("d -> C")))
SPAN = part("qa_outputs", "head.span", dense("d -> 2"))

VERSION = maybe("version", "embed.index", buffer("1"))
"""The number of fairseq's format in files that were converted from it; the class ignores it."""
BART_ENCODER = under("encoder", COPY, POSITIONS, EMBED_NORM, ENCODER_LAYERS, VERSION, tower="encoder", P="T+2")
BART_DECODER = under("decoder", POSITIONS, EMBED_NORM, DECODER_LAYERS, VERSION, tower="decoder", P="T+2")
BART_DECODER_COPY = under("decoder", COPY, tower="decoder")
BOTH = rows(SHARED, BART_ENCODER, BART_DECODER, BART_DECODER_COPY)
BART = Architecture("bart plbart", ties="tie_word_embeddings | true", dims=BART_DIMS,
    heads=(
        head("Model",                     "", BOTH),
        head("ForConditionalGeneration",  "", under("model", BOTH), LM_HEAD, default=True),
        head("ForSequenceClassification", "", under("model", BOTH), CLASSES),
        head("ForQuestionAnswering",      "", under("model", BOTH), SPAN),
        head("ForCausalLM",               "",
             under("model", BART_DECODER, under("decoder", OWN_TABLE, tower="decoder")),
            CAUSAL_HEAD)),
    dialects=({}, {"model.": ""}))

MBART_ENCODER = under("encoder", COPY, POSITIONS, EMBED_NORM, ENCODER_LAYERS, FINAL_NORM, tower="encoder", P="T+2")
MBART_DECODER = under("decoder", POSITIONS, EMBED_NORM, DECODER_LAYERS, FINAL_NORM, tower="decoder", P="T+2")
MBART_BOTH = rows(SHARED, MBART_ENCODER, MBART_DECODER, BART_DECODER_COPY)
MBART = Architecture("mbart", ties="tie_word_embeddings | true", dims=BART_DIMS,
    heads=(
        head("Model",                     "", MBART_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", MBART_BOTH), LM_HEAD, default=True),
        head("ForSequenceClassification", "model.", under("model", MBART_BOTH), CLASSES),
        head("ForQuestionAnswering",      "model.", under("model", MBART_BOTH), SPAN),
        head("ForCausalLM",               "",
             under("model", MBART_DECODER, under("decoder", OWN_TABLE, tower="decoder")),
            CAUSAL_HEAD)))

PEGASUS_DECODER = under("decoder", POSITIONS, DECODER_LAYERS, FINAL_NORM, tower="decoder", P="T")
PEGASUS_BOTH = rows(SHARED, PEGASUS_DECODER, BART_DECODER_COPY,
    under("encoder", COPY, POSITIONS, ENCODER_LAYERS, FINAL_NORM, tower="encoder", P="T"))
PEGASUS = Architecture("pegasus blenderbot", ties="tie_word_embeddings | true", dims=BART_DIMS,
    heads=(
        head("Model",                     "", PEGASUS_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", PEGASUS_BOTH), LM_HEAD, default=True),
        head("ForCausalLM",               "",
             under("model", PEGASUS_DECODER, under("decoder", OWN_TABLE, tower="decoder")),
            CAUSAL_HEAD)))
SMALL_DECODER = under("decoder", POSITIONS, EMBED_NORM, DECODER_LAYERS, tower="decoder", P="T")
SMALL_BOTH = rows(SHARED, SMALL_DECODER, BART_DECODER_COPY,
    under("encoder", COPY, POSITIONS, EMBED_NORM, ENCODER_LAYERS, tower="encoder", P="T"))
BLENDERBOT_SMALL = Architecture("blenderbot-small", ties="tie_word_embeddings | true", dims=BART_DIMS,
    heads=(
        head("Model",                     "", SMALL_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", SMALL_BOTH), LM_HEAD, default=True),
        head("ForCausalLM",               "",
             under("model", SMALL_DECODER, under("decoder", OWN_TABLE, tower="decoder")),
            CAUSAL_HEAD)))

M2M_POSITIONS = maybe("embed_positions.weights", "embed.position", buffer("T+2 d"))
M2M_BOTH = rows(SHARED, BART_DECODER_COPY,
    under("encoder", COPY, M2M_POSITIONS, ENCODER_LAYERS, FINAL_NORM, tower="encoder"),
    under("decoder", M2M_POSITIONS, DECODER_LAYERS, FINAL_NORM, tower="decoder"))
SHARED_HEAD = part("lm_head", "head.token", linear("d -> V"), tied="embed.shared")
M2M_100 = Architecture("m2m_100", ties="tie_word_embeddings | true", dims=BART_DIMS,
    heads=(
        head("Model",                     "", M2M_BOTH),
        head("ForConditionalGeneration",  "model.", under("model", M2M_BOTH), SHARED_HEAD, default=True)))

MARIAN_POSITIONS = usually(part("embed_positions", "embed.position", table("T d")))
MARIAN_DECODER = under("decoder", MARIAN_POSITIONS, DECODER_LAYERS, tower="decoder")
MARIAN_BOTH = rows(
    part("shared", "embed.shared", table("V d"), when="one"),
    MARIAN_DECODER,
    under("encoder", MARIAN_POSITIONS, ENCODER_LAYERS, tower="encoder"),
    rows(under("encoder", COPY, tower="encoder"), BART_DECODER_COPY, when="one"),
    rows(under("encoder", OWN_TABLE, tower="encoder"),
         either(part("decoder.embed_tokens", "embed.token.decoder", table("Vd d")),
                part("decoder.embed_tokens", "embed.token.decoder", table("V d"))),       # as 4 makes it
         when="not one"))
MARIAN = Architecture("marian", ties="tie_word_embeddings | true",
    dims=BART_DIMS | Dims(one="(share_encoder_decoder_embeddings | true)", Vd="decoder_vocab_size | V",
                          Vo="V when one | Vd"),
    heads=(
        head("Model",                     "", MARIAN_BOTH),
        head("MTModel",                   "model.", under("model", MARIAN_BOTH),
            part("lm_head",           "head.token",      linear("d -> V"), tied="embed.shared", when="one"),
            part("lm_head",           "head.token.own",  linear("d -> Vd"), tied="embed.token.decoder", when="not one"),
            part("final_logits_bias", "head.token.bias", buffer("1 Vo")), default=True),
        head("ForCausalLM",               "",
            under("model", MARIAN_DECODER, under("decoder", OWN_TABLE, tower="decoder", V="Vd")),
            part("lm_head", "head.token", linear("d -> (Vd when (tie_word_embeddings | true) | V)"),
                 tied="embed.token"))))
