"""Pairs of a model and one derived from it: with another class, experts in place of the MLP, or other layers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspector.comparing.checkpoints import compare, compare_audits
from inspector.comparing.result import Comparison
from inspector.comparing.values import compared_with_values
from tests.checkpoints import genuine
from tests.judged import judged
from tests.values.value_files import Arrays, numbers, spec_of, write

DENSE: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 96, "hidden_size": 48,
    "intermediate_size": 80, "num_hidden_layers": 4, "num_attention_heads": 6, "num_key_value_heads": 2,
    "tie_word_embeddings": False,
}  # fmt: skip
EXPERTS: dict[str, Any] = {
    **DENSE, "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_local_experts": 3,
    "num_experts_per_tok": 2,
}  # fmt: skip
BERT: dict[str, Any] = {
    "model_type": "bert", "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 80,
    "vocab_size": 96, "num_labels": 3,
}  # fmt: skip
LAYER = re.compile(r"(?<=layers\.)\d+(?=\.)")


def classes(source: dict[str, Any], target: dict[str, Any]) -> Comparison:
    """The comparison of two models of these configs, by headers."""
    return compare_audits(judged(genuine(source), source), judged(genuine(target), target))


def of_class(config: dict[str, Any], name: str) -> dict[str, Any]:
    """The config with another class."""
    return {**config, "architectures": [name]}


def with_values(before: Arrays, config: dict[str, Any], after: Arrays, other: dict[str, Any]) -> Comparison:
    """The comparison of two models with their values."""
    with TemporaryDirectory() as folder:
        one, two = write(Path(folder) / "before", before, config), write(Path(folder) / "after", after, other)
        return compared_with_values(compare(str(one), str(two)))


def relayered(layers: Sequence[int], changed: str = "") -> Comparison:
    """The comparison of a model with one made of these of its layers. changed: a tensor that was trained further."""
    source = numbers(spec_of(genuine(DENSE)))
    target = {name: array for name, array in source.items() if not LAYER.search(name)}
    for number, other in enumerate(layers):
        for name, array in source.items():
            found = LAYER.search(name)
            if found and int(found[0]) == other:
                target[LAYER.sub(str(number), name)] = array.copy()
    if changed:
        target[changed] = target[changed] + 1
    return with_values(source, DENSE, target, {**DENSE, "num_hidden_layers": len(layers)})


PARTS = {"w1": "gate_proj", "w2": "down_proj", "w3": "up_proj"}


def upcycled(trained: str = "") -> Comparison:
    """The comparison of a model with one that has its MLP in each expert. trained: a tensor with other values."""
    source, target = numbers(spec_of(genuine(DENSE))), numbers(spec_of(genuine(EXPERTS)))
    for name in target:
        before, _, rest = name.partition(".block_sparse_moe.experts.")
        part = PARTS.get(rest.split(".")[1]) if rest else None
        target[name] = source.get(name if part is None else f"{before}.mlp.{part}.weight", target[name])
    if trained:
        target[trained] = target[trained] + 1
    return with_values(source, DENSE, target, EXPERTS)


DESIGNS = {
    "class-changed": lambda: classes(of_class(BERT, "BertForMaskedLM"), of_class(BERT, "BertModel")),
    "mlp-became-experts": lambda: classes(DENSE, EXPERTS),
    "layers-rearranged": lambda: relayered([0, 1, 1, 2, 3]),
}
