"""The tensors that the modules after the model of a sentence encoder store, by their configs.

Source: sentence-transformers 6 (`base/modules`, `sentence_transformer/modules`), which loads each module strictly: a
missing, unexpected or mismatched tensor raises. Keys of earlier versions are read too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Shape = tuple[int, ...]
Tensors = dict[str, Shape]

CONFIGS: Final = {"LSTM": "lstm_config.json", "CNN": "cnn_config.json", "Router": "router_config.json",
                  "WordEmbeddings": "wordembedding_config.json"}  # fmt: skip
"""Kind of module -> its config, if that is not config.json."""
MODELS: Final = frozenset({"Transformer", "CLIPModel", "MLMTransformer"})
"""Modules that are models of transformers."""
TASKS_WITH_HEAD: Final = frozenset({"sequence-classification", "text-generation", "fill-mask", "any-to-any"})
"""Values of `transformer_task` for which a class with a head is loaded."""
CLASS_ENDINGS: Final[Mapping[str, str]] = {
    "sequence-classification": "ForSequenceClassification", "fill-mask": "ForMaskedLM",
}  # fmt: skip
"""Task -> end of the name of the class that is loaded for it."""
EMPTY: Final = frozenset({
    "Pooling", "Normalize", "Dropout", "BoW", "Router", "SpladePooling", "TokenPooling", "HierarchicalTokenPooling",
    "MultiVectorMask", "LogitScore",
})  # fmt: skip
"""Modules without weights."""
REQUIRED: Final[Mapping[str, str]] = {
    "BoW": "vocab", "LogitScore": "true_token_id", "Router": "types", "WordEmbeddings": "tokenizer_class",
}  # fmt: skip
"""Modules that do not load without a certain config key, although it gives no sizes of weights."""
LOOKUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "StaticEmbedding": ("embedding.weight", "embeddings"), "WordEmbeddings": ("emb_layer.weight",),
    "SparseStaticEmbedding": ("weight",),
}  # fmt: skip
"""Modules that are a table of any size: kind -> its possible names, of which one is stored; the second
is model2vec's.
"""
DIMS_OF: Final[Mapping[str, int]] = {"SparseStaticEmbedding": 1}
"""Number of dims of a table, if it is not two: one weight for each token."""
OF_TOKENS: Final[Mapping[str, bool]] = {"SparseStaticEmbedding": True, "StaticEmbedding": False}
"""Tables with a row for each token of the tokenizer next to them -> True if they are built with this size and loaded
strictly.

Other tables may have more rows. With fewer rows, the first text with a token beyond them fails.
"""
MAPPING: Final = "mapping"
"""The row of each token, if several tokens share a row."""
BESIDE_TABLES: Final = frozenset({"mapping", "weights"})
"""Tensors that model2vec stores next to its table: the row and the weight of each token."""
OTHER_NAMES: Final[Mapping[str, str]] = {"encoder.weight": "decoder.linear.weight"}
"""Names of a matrix that two modules share: the file has one of the two names."""
COUNTERS: Final = frozenset({"stats_last_nonzero"})
"""Tensors of integers."""
TOKENS: Final = frozenset({"LSTM", "CNN", "WeightedLayerPooling"})
"""Modules that change the embeddings of tokens, before the pooling."""
POOLED: Final = frozenset({"git", "visual_bert", "vilt", "layoutlmv3"})
"""Model types with images for which sentence-transformers has rules of its own, and may add no pooling."""
MOST_LAYERS: Final = 1000
_TOKENS: Final = ("embedding_dimension", "word_embedding_dimension")
_OF_CNN: Final = ("in_embedding_dimension", "in_word_embedding_dimension")
"""Keys for the width of the embeddings that a module takes, in this and in earlier versions."""
_OF_SPARSE: Final = ("input_dim",)
_MODES: Final = ("cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")


def new_pooling(values: Mapping[str, Any]) -> str:
    """What sentence-transformers 6.2 takes as the embedding of a text if there is no modules.json; "" if this is open.

    Source: `_load_default_modules` of `sentence_transformer/model.py`. values: the config of the model.
    """
    parts = any(key.endswith("_config") and isinstance(value, Mapping) and "hidden_size" in value
                for key, value in values.items())  # fmt: skip
    if parts or "auto_map" in values or values.get("model_type") in POOLED:
        return ""
    classes = values.get("architectures")
    first = str(classes[0]) if isinstance(classes, list) and classes else ""
    if first.endswith("ForCausalLM") and values.get("is_causal", True):
        return "the embedding of the last token"
    return "the mean of all tokens"


def number(values: Mapping[str, Any], *keys: str) -> int | None:
    """The value of the first of these keys that is a positive whole number."""
    return next((found for key in keys if type(found := values.get(key)) is int and found > 0), None)


def _dense(values: Mapping[str, Any]) -> Tensors | None:
    inputs, outputs = number(values, "in_features"), number(values, "out_features")
    if inputs is None or outputs is None:
        return None
    found: Tensors = {"linear.weight": (outputs, inputs)}
    if values.get("bias", True):
        found["linear.bias"] = (outputs,)
    if values.get("use_residual") and inputs != outputs:
        found["residual.weight"] = (outputs, inputs)
    return found


def _layer_norm(values: Mapping[str, Any]) -> Tensors | None:
    width = number(values, "dimension")
    return None if width is None else {"norm.weight": (width,), "norm.bias": (width,)}


def _lstm(values: Mapping[str, Any]) -> Tensors | None:
    width, hidden = number(values, *_TOKENS), number(values, "hidden_dim")
    layers = number({"num_layers": 1, **values}, "num_layers")
    if width is None or hidden is None or layers is None or layers > MOST_LAYERS:
        return None
    sides = ("", "_reverse") if values.get("bidirectional", True) else ("",)
    found: Tensors = {}
    for layer in range(layers):
        for side in sides:
            inputs = width if layer == 0 else hidden * len(sides)
            for part, size in (("ih", inputs), ("hh", hidden)):
                found[f"encoder.weight_{part}_l{layer}{side}"] = (4 * hidden, size)
                found[f"encoder.bias_{part}_l{layer}{side}"] = (4 * hidden,)
    return found


def _cnn(values: Mapping[str, Any]) -> Tensors | None:
    width = number(values, *_OF_CNN)
    outputs, kernels = number({"out_channels": 256, **values}, "out_channels"), values.get("kernel_sizes", [1, 3, 5])
    if width is None or outputs is None or not isinstance(kernels, list) or len(kernels) > MOST_LAYERS:
        return None
    found: Tensors = {}
    for place, kernel in enumerate(kernels):
        if type(kernel) is not int:
            return None
        found |= {f"convs.{place}.weight": (outputs, width, kernel), f"convs.{place}.bias": (outputs,)}
    return found


def _layers(values: Mapping[str, Any]) -> Tensors | None:
    layers, first = number({"num_hidden_layers": 12, **values}, "num_hidden_layers"), values.get("layer_start", 4)
    return None if layers is None or type(first) is not int else {"layer_weights": (layers + 1 - first,)}


def _word_weights(values: Mapping[str, Any]) -> Tensors | None:
    words = values.get("vocab")
    return {"emb_layer.weight": (len(words), 1)} if isinstance(words, list) else None


def _sparse(values: Mapping[str, Any]) -> Tensors | None:
    width, hidden = number(values, *_OF_SPARSE), number({"hidden_dim": 512, **values}, "hidden_dim")
    if width is None or hidden is None:
        return None
    return {"pre_bias": (width,), "decoder.linear.weight": (hidden, width), "latent_bias": (hidden,),
            "stats_last_nonzero": (hidden,)}  # fmt: skip


_STORED: Final[Mapping[str, Callable[[Mapping[str, Any]], Tensors | None]]] = {
    "Dense": _dense, "LayerNorm": _layer_norm, "LSTM": _lstm, "CNN": _cnn, "WeightedLayerPooling": _layers,
    "WordWeights": _word_weights, "SparseAutoEncoder": _sparse,
}  # fmt: skip


def is_known(kind: str) -> bool:
    """True if a module's config determines its tensors."""
    return kind in _STORED


def tensors_of(kind: str, values: Mapping[str, Any]) -> Tensors | None:
    """Name -> shape of all tensors that a module stores; None if its config does not determine them."""
    return _STORED[kind](values)


def keys_for(kind: str, values: Mapping[str, Any], stored: Tensors) -> Mapping[str, int]:
    """The keys of a module's config, with the only sizes under which it has exactly these tensors; empty without such.

    One key, or both widths of a dense layer.
    """
    sizes = {size for shape in stored.values() for dim in shape for size in (dim, dim // 4)}
    keys = [key for key, value in values.items() if type(value) is int]
    tried: list[dict[str, int]] = [{key: size} for key in keys for size in sizes]
    if kind == "Dense":
        tried += [{"in_features": before, "out_features": behind} for before in sizes for behind in sizes]
    found = [one for one in tried if tensors_of(kind, {**values, **one}) == stored]
    least = [one for one in found if len(one) == min(map(len, found))]
    return least[0] if len(least) == 1 else {}


_OUTPUTS: Final[Mapping[str, str]] = {"Dense": "out_features", "SparseAutoEncoder": "hidden_dim"}
"""Kind of module -> the key for its output width."""


def width_behind(kind: str, values: Mapping[str, Any], width: int | None) -> int | None:
    """The width of the embeddings after a module. width: before the module, None if unknown."""
    if kind in _OUTPUTS:
        return number(values, _OUTPUTS[kind])
    if kind == "BoW":
        words = values.get("vocab")
        return len(words) if isinstance(words, list) else None
    if kind == "Pooling":
        own = number(values, *_TOKENS)
        return None if own is None else own * _modes(values)
    if kind == "LSTM":
        hidden = number(values, "hidden_dim")
        return None if hidden is None else hidden * (2 if values.get("bidirectional", True) else 1)
    if kind == "CNN":
        outputs, kernels = number(values, "out_channels"), values.get("kernel_sizes")
        return outputs * len(kernels) if outputs is not None and isinstance(kernels, list) else None
    return width


def _modes(values: Mapping[str, Any]) -> int:
    """The number of poolings that are concatenated."""
    named = values.get("pooling_mode")
    listed = named if isinstance(named, list) else [one for one in _MODES if values.get(f"pooling_mode_{one}")]
    return max(len(listed), 1)


def width_before(kind: str, values: Mapping[str, Any]) -> int | None:
    """The width of the embeddings that a module takes; None if it takes any width or its config does not state it."""
    return number(values, *_keys_before(kind))


def key_before(kind: str, values: Mapping[str, Any]) -> str | None:
    """The key that states the width that a module takes."""
    return next((key for key in _keys_before(kind) if number(values, key) is not None), None)


def _keys_before(kind: str) -> tuple[str, ...]:
    return {
        "Dense": ("in_features",), "LayerNorm": ("dimension",), "LSTM": _TOKENS, "Pooling": _TOKENS,
        "CNN": _OF_CNN, "WeightedLayerPooling": _TOKENS, "SparseAutoEncoder": _OF_SPARSE,
    }.get(kind, ())  # fmt: skip
