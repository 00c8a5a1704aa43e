"""Blocks used by several definitions of models that read text and something else.

Whether the head is tied: transformers 5 reads the top config's `tie_word_embeddings`, transformers 4 the text
config's (`config.get_text_config().tie_word_embeddings`); a config says which of them wrote it.
"""

from collections.abc import Mapping

from inspector.architectures.blocks import LM_HEAD
from inspector.notation.definition import Dims, head

TIES = ("text_config.tie_word_embeddings when transformers_version[0] == '4'"
        " | tie_word_embeddings | text_config.tie_word_embeddings | false")
# of classes of transformers 5 without a default of their own for the key
TIED_AT_THE_TOP = ("(text_config.tie_word_embeddings | false) when transformers_version[0] == '4'"
                   " | tie_word_embeddings | false")
# transformers 5 takes the text's over
TIED_BY_TEXT_TOO = ("text_config.tie_word_embeddings when transformers_version[0] == '4'"
                    " | tie_word_embeddings or text_config.tie_word_embeddings | false")
# a text model with its own
TIED_BY_EITHER = ("(text_config.tie_word_embeddings | true) when transformers_version[0] == '4'"
                  # head inside the joined one
                  " | (tie_word_embeddings | true) or (text_config.tie_word_embeddings | true)")
# 5 hands the text's on
TIED_IF_ONE_SAYS = ("(text_config.tie_word_embeddings | false) when transformers_version[0] == '4'"
                    " | (tie_word_embeddings | false) or (text_config.tie_word_embeddings | false)")
JOINED = (
    head("ForConditionalGeneration", "model.", LM_HEAD, default=True),
    head("Model",                    "model."),
    head("Model",                    ""))
BARE_MODEL = (JOINED[0], JOINED[2], JOINED[1])  # of models whose base class writes no prefix
EITHER_PLACE = Dims(                           # the text's keys are at the top in files older than transformers 4.52
    flat="not stated.text_config", V="vocab_size when flat | text_config.vocab_size",
    d="hidden_size when flat | text_config.hidden_size",
    L="num_hidden_layers when flat | text_config.num_hidden_layers",
    h="num_attention_heads when flat | text_config.num_attention_heads",
    kv="num_key_value_heads when flat | text_config.num_key_value_heads | h", dh="d/h",
    ff="intermediate_size when flat | text_config.intermediate_size")
LANGUAGE_FIRST = {                             # the names on disk of both versions
    "model.language_model.": "language_model.model.", "lm_head": "language_model.lm_head", "model.": ""}
HEAD_OUTSIDE = {key: name for key, name in LANGUAGE_FIRST.items() if key != "lm_head"}  # an older text, a newer head
SPELLINGS: tuple[Mapping[str, str], ...] = ({}, LANGUAGE_FIRST, HEAD_OUTSIDE)
