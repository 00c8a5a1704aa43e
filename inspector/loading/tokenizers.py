"""Finds settings and files with which transformers refuses a tokenizer, for all classes unless one is named.

Measured with transformers 5.23: the tokenizers of CLIP, T5, Gemma, Llama, Qwen2, BERT, GPT-2 and RoBERTa were loaded
with each key of tokenizer_config.json removed and set to values of all JSON types, without each of their files, and by
the classes of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from inspector.algebra.values import shown
from inspector.loading.schedulers import RefusedSetting
from inspector.loading.tokenizer_files import BESIDE, MAP, PAIR, PLAIN, SENTENCEPIECE, WHOLE

SPECIAL: Final = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
PAIRED: Final = ("CLIPTokenizer", "Qwen2Tokenizer", "GPT2Tokenizer", "RobertaTokenizer")
"""Tokenizers that read vocab.json and merges.txt together."""


SCORED: Final = frozenset({
    "T5Tokenizer", "XLMRobertaTokenizer", "MBartTokenizer", "XLNetTokenizer", "AlbertTokenizer", "PegasusTokenizer",
})  # fmt: skip
"""Tokenizers with a vocabulary that is a list of words with scores, and that refuse a map of words to numbers."""
ANY: Final = "AutoTokenizer"
"""The class that uses the tokenizer named in the folder."""
FROM_WHOLE: Final = frozenset({"PreTrainedTokenizerFast", "TokenizersBackend"})
"""Classes without their own kind of vocabulary."""
VOCABULARIES: Final = (*PAIR, PLAIN)


def _is_token(value: Any) -> bool:
    """True if transformers accepts a value as a special token."""
    return value is None or isinstance(value, str) or (isinstance(value, dict) and value.get("__type") == "AddedToken")


def _is_list_of_tokens(value: Any) -> bool:
    """True if transformers accepts a value as a list, or a map by name, of additional special tokens."""
    listed = list(value.values()) if isinstance(value, dict) else value
    return value is None or (isinstance(listed, list) and all(one is not None and _is_token(one) for one in listed))


def _is_decoder(value: Any) -> bool:
    """True if a value maps numbers as texts to tokens."""
    return isinstance(value, dict) and all(
        key.removeprefix("-").isdecimal() and isinstance(one, dict) for key, one in value.items()
    )


def _is_names(value: Any) -> bool:
    return isinstance(value, list | dict | str)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_bool_or_null(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _is_stated(value: Any) -> bool:
    return value is not None


def _is_number(value: Any) -> bool:
    return isinstance(value, int)


Rule = tuple[str, Callable[[Any], bool], str]
"""A key, a test of its values, and the accepted values in words."""
OF_ALL: Final[tuple[Rule, ...]] = (
    ("padding_side", lambda value: value in ("left", "right"), "left or right"),
    ("truncation_side", lambda value: value in ("left", "right"), "left or right"),
    ("split_special_tokens", _is_bool, "true or false"),
    ("added_tokens_decoder", _is_decoder, "an object of tokens by their numbers"),
    ("additional_special_tokens", _is_list_of_tokens, "a list of tokens"),
    ("extra_special_tokens", _is_list_of_tokens, "a list of tokens"),
    ("model_input_names", _is_names, "a list of names"),
)
OF_CLASSES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "CLIPTokenizer": (("bos_token", _is_stated, "a token"), ("eos_token", _is_stated, "a token")),
    "XLMRobertaTokenizer": (("bos_token", _is_stated, "a token"), ("eos_token", _is_stated, "a token")),
    "T5Tokenizer": (("extra_ids", _is_number, "a whole number"), ("eos_token", _is_stated, "a token")),
    "ByT5Tokenizer": (("extra_ids", _is_number, "a whole number"),),
    "GPT2Tokenizer": (("add_prefix_space", _is_bool, "true or false"),),
    "BertTokenizer": (
        ("do_lower_case", _is_bool, "true or false"),
        ("tokenize_chinese_chars", _is_bool, "true or false"),
        ("strip_accents", _is_bool_or_null, "true, false or null"),
    ),
    "Qwen2Tokenizer": (("add_prefix_space", _is_bool_or_null, "true, false or null"),),
}


def refused_by_tokenizer(
    class_name: str, values: Mapping[str, Any], files: Collection[str]
) -> Iterator[RefusedSetting]:
    """The settings in tokenizer_config.json that are refused. files: all files next to it."""
    rules = (*OF_ALL, *OF_CLASSES.get(class_name.removesuffix("Fast"), ()))
    tokens = tuple((key, _is_token, "a token") for key in SPECIAL)
    for key, takes, wanted in (*rules, *tokens):
        if key in values and not takes(values[key]) and not (key in SPECIAL and MAP in files):
            yield RefusedSetting(key, values[key], f"{shown(values[key])} is not {wanted}", built=True)


PIECES: Final = SENTENCEPIECE[0]
"""The file of a SentencePiece tokenizer."""
ENDLESS: Final = frozenset({"LlamaTokenizer", "T5Tokenizer", "GemmaTokenizer"})
"""Classes that look up an empty unknown token as the unknown token (RecursionError with 5.23; 4.57's LlamaTokenizer
returns no tokenizer). XLM-RoBERTa's and CamemBERT's have tokens of their own.
"""


def unknown_token_empty(class_name: str, values: Mapping[str, Any], files: Collection[str]) -> RefusedSetting | None:
    """The refused setting of a tokenizer without a tokenizer.json of which the unknown token and another one are empty.

    values: of tokenizer_config.json, with those of special_tokens_map.json in their place.
    """
    empty = [key for key in ("bos_token", "eos_token") if _is_empty(values.get(key))]
    if (
        WHOLE in files
        or PIECES not in files
        or class_name.removesuffix("Fast") not in ENDLESS
        or not _is_empty(values.get("unk_token"))
        or not empty
    ):
        return None
    because = f"unk_token and {' and '.join(empty)} are empty: it looks them up without end (RecursionError)"
    return RefusedSetting("unk_token", "", because, built=True, meant="<unk>")


def _is_empty(token: Any) -> bool:
    """True for an empty token, as a text or as an object with its content."""
    return token == "" or (isinstance(token, dict) and token.get("content") == "")


def without_its_pair(class_name: str, files: Collection[str]) -> str:
    """The missing one of the two files of a vocabulary, if the other exists; "" if nothing reads them."""
    if class_name.removesuffix("Fast") not in PAIRED or WHOLE in files:
        return ""
    absent = [name for name in PAIR if name not in files]
    return absent[0] if len(absent) == 1 else ""


def number_of_tokens(content: object) -> int | None:
    """The number of distinct tokens of a tokenizer.json, including added ones; None if it cannot be determined."""
    model = content.get("model") if isinstance(content, dict) else None
    words = model.get("vocab") if isinstance(model, dict) else None
    added = content.get("added_tokens", []) if isinstance(content, dict) else []
    if not isinstance(words, dict | list) or not isinstance(added, list):
        return None
    names = {str(one[0]) if isinstance(one, list) and one else str(one) for one in words}
    return len(names | {str(one.get("content")) for one in added if isinstance(one, dict)})


def unread_vocabulary(class_name: str, words: object) -> str:
    """Why a class does not read the vocabulary of a tokenizer.json; "" if it does. words: the
    vocabulary in this file.
    """
    if class_name.removesuffix("Fast") not in SCORED or not isinstance(words, dict):
        return ""
    return f"it reads words with scores, and {WHOLE} has words with numbers"


def unread_files(class_name: str, values: Mapping[str, Any], files: Collection[str]) -> str:
    """Why a class reads no vocabulary of a folder; "" if it may. values: of tokenizer_config.json."""
    if WHOLE in files or not set(VOCABULARIES).intersection(files):
        return ""
    if not all(name in VOCABULARIES or name in BESIDE for name in files):
        return ""
    if class_name in FROM_WHOLE:
        return f"it reads {WHOLE} alone, which is absent"
    if class_name == ANY and "tokenizer_class" not in values and "auto_map" not in values:
        return f"neither {WHOLE} nor a tokenizer_class says which tokenizer this is"
    return ""
