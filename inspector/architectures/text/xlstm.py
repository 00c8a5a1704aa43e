"""xLSTM.

modeling_xlstm.py: the MLP's width is hidden_size times `ffn_proj_factor`, rounded up to `ffn_round_up_to_multiple_of`
(but a fraction is dropped first when it reaches beyond a multiple); the gates of the memory always have a bias;
`weight_mode` 'fused' joins q, k, v and output gate, the two gates, and the MLP's two inputs.
The head is never tied, whatever the config says.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, dense, linear, scale, table

XLSTM = Architecture("xlstm", ties="false",
    dims=Dims(V="vocab_size", d="hidden_size", e="embedding_dim | d", L="num_blocks | num_hidden_layers", h="num_heads",
              b="use_bias",
              q="floor(d*qk_dim_factor)", v="floor(d*v_dim_factor)", n="ffn_round_up_to_multiple_of",
              ff="(d*ffn_proj_factor + n - 1)//n*n", fused="weight_mode == 'fused'", single="weight_mode == 'single'"),
    heads=(head("Model", ""), head("ForCausalLM", "backbone.", LM_HEAD)),
    parts=rows(
        part("embeddings", "embed.token", table("V e")),
        part("out_norm",   "norm.final",  scale("d")),
        under("blocks.{L}",
            part("norm_mlstm",                 "norm.attention", affine("d", bias="b")),
            part("norm_ffn",                   "norm.mlp",       affine("d", bias="b")),
            part("mlstm_layer.multihead_norm", "norm.ssm",       affine("v", bias="b")),
            part("mlstm_layer.out_proj",       "ssm.out",        linear("v -> d", bias="b")),
            part("ffn.proj_down",              "mlp.down",       linear("ff -> d", bias="b"))),
        under("blocks.{L}",
            part("mlstm_layer.q",              "ssm.query",       linear("d -> q", bias="b")),
            part("mlstm_layer.k",              "ssm.key",         linear("d -> q", bias="b")),
            part("mlstm_layer.v",              "ssm.value",       linear("d -> v", bias="b")),
            part("mlstm_layer.ogate_preact",   "ssm.gate.output", linear("d -> v", bias="b")),
            part("mlstm_layer.igate_preact",   "ssm.gate.input",  dense("d -> h")),
            part("mlstm_layer.fgate_preact",   "ssm.gate.forget", dense("d -> h")),
            part("ffn.proj_up_gate",           "mlp.gate",        linear("d -> ff", bias="b")),
            part("ffn.proj_up",                "mlp.up",          linear("d -> ff", bias="b")), when="single"),
        under("blocks.{L}",                                              # no record exercises these rows
            part("mlstm_layer.qkv_opreact",    "ssm.qkv",
                 linear("d -> q + q + v + v", bias="b", packs="q k v output")),
            part("mlstm_layer.ifgate_preact",  "ssm.gate", dense("d -> h + h", packs="input forget")),
            part("ffn.proj_up_gate_z",         "mlp.gate_up", linear("d -> ff + ff", bias="b", packs="gate up")),
            when="fused")))
