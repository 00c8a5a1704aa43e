"""Parts that a program saves beside a model, and that it alone reads."""

from __future__ import annotations

from typing import Final

VALUE_HEAD: Final = "value_head.weight"
READERS: Final = {
    "v_head": "trl's AutoModelForCausalLMWithValueHead",
    VALUE_HEAD: "OpenRLHF's get_llm_for_sequence_regression",
    "medusa_head": "Medusa's MedusaModel",
}
"""A tensor, or the beginning of the names of a part -> the class or function that reads it beside a model.

Sources: trl, `models/modeling_value_head.py`; OpenRLHF, `openrlhf/models/model.py`; Medusa,
`medusa/model/medusa_model.py`.
"""


def reader_of(name: str | None) -> str:
    """What reads a tensor or a family of such a part; "" for any other."""
    return READERS.get(name or "") or READERS.get((name or "").partition(".")[0], "")
