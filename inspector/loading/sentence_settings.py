"""The config keys that sentence-transformers' modules take, and the activation functions of its dense layers.

Source: sentence-transformers 6.2: these modules are called with every key of their config, and fail on others
(TypeError). A dense layer ignores unknown keys; it creates a class of torch without arguments, and without
`trust_remote_code` takes Tanh in place of the classes of other packages (measured).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

OWN: Final = "sentence_transformers."
"""Beginning of the types of the library's own modules."""
DENSE: Final = "Dense"
_WIDTH: Final = ("embedding_dimension", "word_embedding_dimension")
_MODES: Final = ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken")
TAKEN: Final[Mapping[str, frozenset[str]]] = {
    "Transformer": frozenset({
        "transformer_task", "model_kwargs", "processor_kwargs", "config_kwargs", "processing_kwargs", "backend",
        "modality_config", "module_output_name", "unpad_inputs", "query_length", "document_length", "query_expansion",
        "max_seq_length", "do_lower_case", "tokenizer_name_or_path", "model_args", "tokenizer_args", "config_args",
        "cache_dir",
    }),
    "Pooling": frozenset({
        *_WIDTH, "pooling_mode", "include_prompt", "pooling_mode_cls_token", "pooling_mode_max_tokens",
        "pooling_mode_mean_tokens", "pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens",
        "pooling_mode_lasttoken",
    }),
    "LayerNorm": frozenset({"dimension"}),
    "Dropout": frozenset({"dropout"}),
    "LSTM": frozenset({*_WIDTH, "hidden_dim", "num_layers", "dropout", "bidirectional"}),
    "CNN": frozenset({
        "in_embedding_dimension", "in_word_embedding_dimension", "out_channels", "kernel_sizes", "stride_sizes",
    }),
    "WeightedLayerPooling": frozenset({*_WIDTH, "num_hidden_layers", "layer_start", "layer_weights"}),
}  # fmt: skip
"""Kind of module -> all keys that its config may have."""
ACTIVATION: Final = "activation_function"
_MODULE: Final = "torch.nn.modules.activation"
_CLASSES: Final = frozenset({
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "Sigmoid", "SiLU", "Softmax", "Softmax2d",
    "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink",
})  # fmt: skip
"""The activation functions of torch 2.13 that need no argument."""


def not_taken(kind: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of a config that its module does not take."""
    return tuple(key for key in values if key not in TAKEN[kind]) if kind in TAKEN else ()


def unknown_pooling(kind: str, values: Mapping[str, Any]) -> str:
    """The first mode of a pooling that sentence-transformers does not have; "" if it has all."""
    stated = values.get("pooling_mode", "mean")
    named = [stated] if isinstance(stated, str) else stated if isinstance(stated, list) else []
    return next((str(one) for one in named if one not in _MODES), "") if kind == "Pooling" else ""


def without_activation(values: Mapping[str, Any]) -> bool:
    """True if the activation function is none that can be created: not a text, a function, or a class of torch's
    activations that is not there.
    """
    stated = values.get(ACTIVATION, "")
    if not isinstance(stated, str):
        return True
    module, _, name = stated.rpartition(".")
    return (module == _MODULE and name not in _CLASSES) or module == "torch.nn.functional"


def replaced_activation(values: Mapping[str, Any]) -> str:
    """The activation function of another package, for which Tanh is taken; "" without such."""
    stated = values.get(ACTIVATION, "torch.")
    return stated if isinstance(stated, str) and not stated.startswith("torch.") else ""
