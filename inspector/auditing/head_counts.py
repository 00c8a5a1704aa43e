"""Numbers of heads that a remedy may state: they divide the hidden size, and a head has more than one column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.architectures.defaults import NEWEST, class_defaults
from inspector.findings.config import ConfigDisagrees, Rival

HEAD_KEYS: Final = frozenset(
    {
        "num_attention_heads",
        "n_head",
        "n_heads",
        "attention_heads",
        "encoder_attention_heads",
        "decoder_attention_heads",
    }
)
WIDTHS: Final = ("head_dim", "attention_head_dim", "d_kv", "kv_channels", "hidden_size_per_head", "head_size")
"""Keys of the width of a head, beside which the hidden size need not be a multiple of it."""
HIDDEN_KEYS: Final = ("hidden_size", "n_embd", "d_model", "dim")


def _is_head_count(key: str) -> bool:
    """True for a key of the number of attention heads."""
    return key.rpartition(".")[2] in HEAD_KEYS


def with_possible_heads(
    finding: ConfigDisagrees, values: Mapping[str, Any], solved: Mapping[str, Any]
) -> ConfigDisagrees:
    """The finding without numbers of heads that no class of its hidden size can have.

    solved: the keys that findings correct, with their values.
    """
    path = finding.key.rpartition(".")[0]
    hidden = _hidden_size(path, values, solved)
    if hidden is None or not any(_is_head_count(one) for one in (finding.key, *(one.key for one in finding.rivals))):
        return finding
    rivals = [one for one in finding.rivals if _may_be(one, path, hidden)]
    own = Rival(finding.key, finding.solved)
    if _may_be(own, path, hidden):
        return replace(finding, rivals=tuple(rivals))
    same = next((one for one in rivals if one.key == finding.key), None)
    if same is None:
        return replace(finding, rivals=tuple(rivals), undivided=Rival(finding.key, finding.solved))
    return replace(finding, solved=same.weights, rivals=tuple(one for one in rivals if one is not same))


def _may_be(one: Rival, path: str, hidden: int) -> bool:
    """False for a number of heads of this config that leaves a remainder, or heads of one column."""
    if not _is_head_count(one.key) or one.key.rpartition(".")[0] != path or type(one.weights) is not int:
        return True
    return 0 < one.weights < hidden and hidden % one.weights == 0


def _hidden_size(path: str, values: Mapping[str, Any], solved: Mapping[str, Any]) -> int | None:
    """The hidden size beside a number of heads; None if it is unknown, or if the config or its class has a width
    of a head.
    """
    inner: Any = values
    for key in path.split(".") if path else ():
        inner = inner.get(key) if isinstance(inner, Mapping) else None
    if not isinstance(inner, Mapping):
        return None
    model_type = inner.get("model_type")
    usual = class_defaults(model_type, NEWEST)[0] if isinstance(model_type, str) else {}
    if any(inner.get(one, usual.get(one)) is not None for one in WIDTHS):
        return None
    sizes = (solved.get(f"{path}.{key}".lstrip("."), inner.get(key)) for key in HIDDEN_KEYS)
    return next((one for one in sizes if type(one) is int), None)
