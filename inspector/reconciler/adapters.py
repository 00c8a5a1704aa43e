"""Adapters: small matrices that change a base model. Counted on their own; the base is named.

Sources: PEFT's `save_pretrained` (key prefix `base_model.model.`, `adapter_config.json`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.evidence import Evidence, Fact, Place
from inspector.matcher.families import Families
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line

MARKS = re.compile(
    r"\.(?:lora_[A-Za-z_]+|ia3_l|hada_\w+|lokr_\w+|oft_\w+|vera_\w+|boft_\w+|token_adapter)(?:\.|$)"
    r"|^(?:prompt_embeddings|base_model\.vera_|base_model\.model\.)"
)
"""Parts of names that only adapters have."""


def is_adapter(keys: Iterable[str]) -> bool:
    """Whether names are an adapter's: most of them carry its mark."""
    listed = list(keys)
    return bool(listed) and sum(MARKS.search(key) is not None for key in listed) * 2 > len(listed)


def adapter_lines(families: Families) -> Iterator[Line]:
    """Every tensor of an adapter is its parameter, but for copies of the base that PEFT saves beside it."""
    for family in families.values():
        copied = ".base_layer." in family.key
        for part in family.stored:
            yield Line(
                family.key,
                "base" if copied else "adapter",
                ledger.EXTRA if copied else ledger.PARAMETER,
                part.layout,
                part.boxes,
                part.tensors,
                part.elements,
                part.layout.elements * part.tensors,
                "base" if copied else "",
            )


def adapter_evidence(values: Mapping[str, Any], families: Families) -> Iterator[Evidence]:
    """What the adapter is and what it belongs to; half a pair of low-rank matrices is an error."""
    base = values.get("base_model_name_or_path")
    facts: dict[str, Fact] = {
        "type": kind_of(values),
        "base": base if isinstance(base, str) else None,
        "rank": values.get("r"),
        "tensors": sum(family.tensors for family in families.values()),
    }
    yield Evidence("adapter", Place(), facts)
    for key, family in families.items():
        for one, other in (("lora_A", "lora_B"), ("lora_B", "lora_A")):
            if key.endswith((f".{one}.weight", f".{one}")):
                twin = key.replace(one, other)
                theirs = families[twin].tensors if twin in families else 0
                if theirs < family.tensors:
                    yield Evidence(
                        "adapter-half-missing",
                        Place(family=twin),
                        {"present": key, "tensors": family.tensors - theirs, "of": family.tensors},
                    )


def kind_of(values: Mapping[str, Any]) -> str:
    """The adapter's type in small letters: 'lora', 'ia3'."""
    kind = values.get("peft_type")
    return kind.lower() if isinstance(kind, str) and kind else "adapter"
