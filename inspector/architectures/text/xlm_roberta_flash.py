"""Jina's XLM-RoBERTa with rotary positions (`XLMRobertaFlashConfig`): jina-embeddings-v3, jina-colbert-v2.

modeling_xlm_roberta.py, modeling_lora.py of the authors' repository: the config has the model type of XLM-RoBERTa.
With `lora_adaptations` each linear and each embedding has low-rank matrices for every task next to its weight, a
parametrization of torch. The position table exists with absolute positions only.
"""

from inspector.architectures.text.bert import COLBERT
from inspector.architectures.text.roberta import DENSE_AND_OUT, ENCODER, LM_HEAD
from inspector.notation.definition import Architecture, Dims, Group, head, part, rows, usually
from inspector.notation.kinds import Kind, adapted, affine, dense, table


def either_way(path: str, role: str, kind: Kind) -> Group:
    """A module without the matrices of the tasks, or with those of A tasks of rank r."""
    return rows(
        part(path, role, kind, when="not lora_adaptations"),
        part(path, role, adapted(kind, tasks="A", rank="r"), when="lora_adaptations"))


XLM_ROBERTA_FLASH = Architecture("xlm-roberta-flash", ties="tie_word_embeddings | true",
    ignores="lora_alpha lora_dropout_p lora_main_params_trainable load_trained_adapters task_instructions"
    " matryoshka_dimensions truncate_dim emb_pooler rotary_emb_base use_flash_attn use_reentrant"
    " position_embedding_type hidden_act fused_bias_fc",
    dims=ENCODER | Dims(V="ceil(vocab_size, pad_vocab_size_multiple | 1)", A="len(lora_adaptations)",
                        r="lora_rank | 4"),
    parts=rows(
        either_way("embeddings.word_embeddings", "embed.token", table("V d")),
        rows(
            either_way("embeddings.position_embeddings", "embed.position", table("T d")),
            when="position_embedding_type == 'absolute'"),
        rows(
            either_way("embeddings.token_type_embeddings", "embed.type", table("y d")),
            when="type_vocab_size > 0"),
        part("emb_ln", "norm.embed", affine("d")),
        either_way("encoder.layers.{L}.mixer.Wqkv", "attention.qkv", dense("d -> d + d + d", packs="q k v")),
        either_way("encoder.layers.{L}.mixer.out_proj", "attention.output", dense("d -> d")),
        part("encoder.layers.{L}.norm1", "norm.attention", affine("d")),
        either_way("encoder.layers.{L}.mlp.fc1", "mlp.up", dense("d -> ff")),
        either_way("encoder.layers.{L}.mlp.fc2", "mlp.down", dense("ff -> d")),
        part("encoder.layers.{L}.norm2", "norm.mlp", affine("d"))),
    heads=(
        head("Model",                     "",         usually(either_way("pooler.dense", "pooler", dense("d -> d")))),
        head("LoRA",                      "roberta.", usually(either_way("roberta.pooler.dense", "pooler",
                                                                         dense("d -> d")))),
        head("HF_ColBERT",                "roberta.", COLBERT, usually(either_way("roberta.pooler.dense", "pooler",
                                                                                  dense("d -> d")))),
        head("ForMaskedLM",               "roberta.", LM_HEAD),
        head("ForSequenceClassification", "roberta.", DENSE_AND_OUT)))
