"""The first Qwen, Qwen-VL and Qwen-Audio (code of its own in each repository).

modeling_qwen.py there: `intermediate_size` is twice the width of the MLP, whose two halves are w1 (up) and w2 (gate);
c_attn always has a bias, the other matrices unless `no_bias` (true by default); the heads' width is `kv_channels`; what
c_proj makes is as wide as all heads.
visual.py: OpenCLIP's tower, then a resampler of 256 queries; its positions are parameters that are not trained.
audio.py: OpenAI's Whisper encoder, whose positions are a buffer, and a linear to the text's width.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.vision.vision_blocks import RESAMPLER_ATTENTION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

QWEN_VISUAL = Architecture("qwen_visual", heads=(head("tower", ""),),
    dims=Dims(v="width", L="layers", h="heads", p="patch_size", d="output_dim", ff="floor(width*mlp_ratio)", n="256"),
    parts=rows(
        part("conv1",                "embed.patch",    conv("3 -> v, p p", bias=False)),
        part("positional_embedding", "embed.position", param("256 v")),
        part("ln_pre",               "norm.embed",     affine("v")),
        under("transformer.resblocks.{L}",
            part("ln_1",          "norm.attention",   affine("v")),
            part("ln_2",          "norm.mlp",         affine("v")),
            part("attn.in_proj",  "attention.qkv",    dense("v -> v + v + v", packs="q k v")),
            part("attn.out_proj", "attention.output", dense("v -> v")),
            part("mlp.c_fc",      "mlp.up",           dense("v -> ff")),
            part("mlp.c_proj",    "mlp.down",         dense("ff -> v"))),
        under("attn_pool", RESAMPLER_ATTENTION, part("pos_embed", "embed.query.position", param("256 d"))),
        part("ln_post", "norm.bridge", affine("d")),
        part("proj",    "bridge.out",  param("d d"))))
QWEN_AUDIO = Architecture("qwen_audio", heads=(head("tower", ""),), ignores="avg_pool",
    dims=Dims(d="n_state", L="n_layer", h="n_head", m="n_mels", T="n_ctx", o="output_dim"),
    parts=rows(
        part("conv1",                "embed.audio.1",  conv("m -> d, 3")),
        part("conv2",                "embed.audio.2",  conv("d -> d, 3")),
        part("positional_embedding", "embed.position", buffer("T d")),
        under("blocks.{L}",
            part("attn_ln",    "norm.attention",   affine("d")),
            part("mlp_ln",     "norm.mlp",         affine("d")),
            part("attn.query", "attention.query",  dense("d -> d")),
            part("attn.key",   "attention.key",    linear("d -> d")),
            part("attn.value", "attention.value",  dense("d -> d")),
            part("attn.out",   "attention.output", dense("d -> d")),
            part("mlp.0",      "mlp.up",           dense("d -> 4*d")),
            part("mlp.2",      "mlp.down",         dense("4*d -> d"))),
        part("ln_post",             "norm.final",  affine("d")),
        part("proj",                "bridge.out",  dense("d -> o")),
        part("audio_bos_eos_token", "embed.audio.token", table("2 o"), when="add_audio_bos_eos_token")))
QWEN = Architecture("qwen", ignores="attn_dropout_prob emb_dropout_prob max_position_embeddings rotary_pct seq_length",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="kv_channels | d/h",
              ff="intermediate_size//2", b="not (no_bias | true)"),
    heads=(head("Model", ""), head("LMHeadModel", "transformer.", LM_HEAD, default=True)),
    parts=rows(
        part("wte",  "embed.token", table("V d")),
        part("ln_f", "norm.final",  scale("d")),
        maybe("rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")),
        under("h.{L}",
            part("ln_1",        "norm.attention",   scale("d")),
            part("attn.c_attn", "attention.qkv",    dense("d -> h*dh + h*dh + h*dh", packs="q k v")),
            part("attn.c_proj", "attention.output", linear("d -> h*dh", bias="b")),
            maybe("attn.rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")),
            part("ln_2",        "norm.mlp",         scale("d")),
            part("mlp.w1",      "mlp.up",           linear("d -> ff", bias="b")),
            part("mlp.w2",      "mlp.gate",         linear("d -> ff", bias="b")),
            part("mlp.c_proj",  "mlp.down",         linear("ff -> d", bias="b"))),
        submodel("visual", "visual.", QWEN_VISUAL, config="visual", when="visual != null"),
        submodel("audio",  "audio.", QWEN_AUDIO, config="audio", when="audio != null")))
