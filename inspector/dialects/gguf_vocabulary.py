"""Checks the types of keys of a GGUF file, the kind of its vocabulary and the numbers of its special tokens.

Measured with the build of llama.cpp in xllamacpp 2026.10, which was given files of each recorded architecture with one
key of another type: "has wrong type i32 but expected type u32". Keys that only some architectures read are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.dialects.gguf_required import LISTS, TOKENIZER, TOKENS, VOCABULARY, length_of
from inspector.dialects.llama_cpp import required_keys, source
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import Config

UNSIGNED, FLOAT, TRUTH, TEXT = "uint32", "float32", "bool", "string"
OF_ALL: Final[Mapping[str, str]] = {
    **dict.fromkeys((
        "context_length", "embedding_length", "embedding_length_out", "block_count", "feed_forward_length",
        "attention.head_count", "attention.head_count_kv", "attention.key_length_swa", "rope.dimension_count_swa",
        "rope.scaling.original_context_length", "expert_count", "expert_used_count", "expert_group_count",
        "expert_group_used_count", "nextn_predict_layers", "pooling_type", "vocab_size",
    ), UNSIGNED),
    **dict.fromkeys(("rope.freq_base", "rope.scaling.factor", "rope.scaling.attn_factor"), FLOAT),
    **dict.fromkeys(("attention.causal", "rope.scaling.finetuned"), TRUTH),
    "rope.scaling.type": TEXT,
}  # fmt: skip
"""Keys that each architecture reads -> their type, where they are one value."""
OF_ATTENTION: Final = ("attention.key_length", "attention.value_length", "rope.dimension_count")
"""Keys that architectures with attention read."""
WITHOUT_ATTENTION: Final = frozenset({"mamba", "mamba2", "plamo2"})
"""Architectures that do not read all of these."""
FLOATS: Final = ("_epsilon", "logit_scale", "clamp_kqv")
"""Endings of required keys that are floats; the other required keys are numbers of things, or a truth value."""
TRUTHS: Final = ("use_parallel_residual",)
LISTED: Final = ("rope.dimension_sections",)
"""A required key that is a list."""
IDS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("bos", "eos"), True),
    **dict.fromkeys(("eot", "eom", "unknown", "seperator", "padding", "mask", "prefix", "suffix", "middle", "fim_pre",
                     "fim_suf", "fim_mid", "fim_pad", "fim_rep", "fim_sep"), False),
}  # fmt: skip
"""Special tokens that llama.cpp reads, in its own spelling -> whether each text has one, or ends with it."""
SUFFIX: Final = "_token_id"
OF_TOKENS: Final[Mapping[str, tuple[str, ...]]] = {
    **{f"{TOKENIZER}{name}{SUFFIX}": (UNSIGNED,) for name in IDS},
    **{f"{TOKENIZER}{name}": (TRUTH,) for name in ("add_bos_token", "add_eos_token", "add_sep_token",
                                                   "add_space_prefix", "remove_extra_whitespaces")},
    f"{TOKENIZER}token_type_count": (UNSIGNED,), VOCABULARY: (TEXT,), TOKENS: (f"[{TEXT}]",),
    f"{TOKENIZER}token_type": ("[int32]",), f"{TOKENIZER}scores": (f"[{FLOAT}]", "[int32]"),
}  # fmt: skip
"""Keys of a vocabulary -> their types."""
ADD_START: Final = f"{TOKENIZER}add_bos_token"
UNIGRAM: Final = "t5"
"""The kind of a vocabulary of SentencePiece's unigrams: without a key of the file llama.cpp begins no text with a
token, and ends each with one (`llama-vocab.cpp`, `LLAMA_VOCAB_TYPE_UGM`), as T5 has it.
"""
OF_BERT: Final = frozenset({"bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3"})
"""Encoders whose texts begin with a token, also where their vocabulary is one of unigrams (XLM-RoBERTa's)."""
OF_FIRST: Final[Mapping[object, str]] = {2: "CLS", 4: "RANK"}
"""Pooling of llama.cpp that reads the first token alone."""
KINDS: Final = frozenset({*LISTS, "gemma4", "hybriddna", "no_vocab", "plamo2", "plamo3", "rwkv", "whitespace"})
"""Kinds of a vocabulary that the build knows: each word among its strings was tried."""


def key_types(metadata: Config) -> Iterator[Finding]:
    """The finding on keys of another type than llama.cpp reads them with."""
    name = metadata.values.get("general.architecture")
    if not isinstance(name, str) or not required_keys(name):
        return
    expected = {**_of_architecture(name), **(OF_TOKENS if TOKENS in metadata.values else {})}
    wrong = {
        key: stored for key, stored in metadata.types.items()
        if key in expected and stored not in expected[key] and not (stored.startswith("[") and key not in OF_TOKENS)
    }  # fmt: skip
    if not wrong:
        return
    from inspector.findings.types.gguf_vocabulary import GgufTypesDiffer

    place = Place(file=metadata.file, key=next(iter(wrong)))
    kinds = tuple(expected[key][0] for key in wrong)
    yield GgufTypesDiffer(place=place, keys=tuple(wrong), stored=tuple(wrong.values()), expected=kinds)


def _of_architecture(name: str) -> dict[str, tuple[str, ...]]:
    """The types of the keys that an architecture always reads."""
    own = {**OF_ALL, **({} if name in WITHOUT_ATTENTION else dict.fromkeys(OF_ATTENTION, UNSIGNED))}
    for key in required_keys(name):
        if key not in own and key not in LISTED:
            own[key] = FLOAT if key.endswith(FLOATS) else TRUTH if key.endswith(TRUTHS) else UNSIGNED
    return {f"{name}.{key}": (kind,) for key, kind in own.items()}


def vocabulary_kind(metadata: Config) -> Iterator[Finding]:
    """The finding on a kind of vocabulary that llama.cpp does not know."""
    stated, name = metadata.values.get(VOCABULARY), metadata.values.get("general.architecture")
    if not isinstance(stated, str) or stated in KINDS or not isinstance(name, str) or not required_keys(name):
        return
    from inspector.findings.types.gguf_vocabulary import GgufTokenizerUnknown

    meant = next((kind for kind in sorted(KINDS) if kind == stated.strip().lower()), "")
    yield GgufTokenizerUnknown(
        place=Place(file=metadata.file, key=VOCABULARY), stated=stated, meant=meant, source=source()
    )


def special_tokens(metadata: Config) -> Iterator[Finding]:
    """The finding on numbers of special tokens that no token has, for which llama.cpp takes a default."""
    tokens = length_of(metadata.values.get(TOKENS))
    stated = {name: metadata.values.get(f"{TOKENIZER}{name}{SUFFIX}") for name in IDS}
    beyond = {name: number for name, number in stated.items() if type(number) is int and number >= (tokens or 0)}
    if tokens is None or not beyond:
        return
    from inspector.findings.types.gguf_vocabulary import GgufTokenBeyond

    keys = tuple(f"{TOKENIZER}{name}{SUFFIX}" for name in beyond)
    yield GgufTokenBeyond(
        place=Place(file=metadata.file, key=keys[0]), keys=keys, numbers=tuple(beyond.values()), tokens=tokens,
        of_every_text=any(IDS[name] for name in beyond),
    )  # fmt: skip


def start_of_text(metadata: Config) -> Iterator[Finding]:
    """The finding on an encoder with a vocabulary of unigrams whose file does not say that each text begins with a
    token.
    """
    values = metadata.values
    name, number = values.get("general.architecture"), values.get(f"{TOKENIZER}bos{SUFFIX}")
    if name not in OF_BERT or values.get(VOCABULARY) != UNIGRAM or ADD_START in values or type(number) is not int:
        return
    from inspector.findings.types.gguf_vocabulary import GgufStartNotAdded

    pooling = OF_FIRST.get(values.get(f"{name}.pooling_type"), "")
    yield GgufStartNotAdded(place=Place(file=metadata.file, key=ADD_START), number=number, pooling=pooling)
