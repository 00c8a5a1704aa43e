"""Parts that a program saves with a model and that only this program reads."""

from __future__ import annotations

from typing import Final, NamedTuple

VALUE_HEAD: Final = "value_head.weight"
CRITIC_HEAD: Final = "v_head.weight"


class Program(NamedTuple):
    """A program that trains a value head instead of a model's head. below: its class contains the base model."""

    name: str
    below: bool


PROGRAMS: Final = {VALUE_HEAD: Program("OpenRLHF", below=False), CRITIC_HEAD: Program("DeepSpeed-Chat", below=True)}
READERS: Final = {
    CRITIC_HEAD: "DeepSpeed-Chat's create_critic_model",
    "v_head": "trl's AutoModelForCausalLMWithValueHead",
    VALUE_HEAD: "OpenRLHF's get_llm_for_sequence_regression",
    "motion_modules": "diffusers' UNetMotionModel (AnimateDiff)",
    "mm_projector": "LLaVA's load_pretrained_model",
    "medusa_head": "Medusa's MedusaModel",
}
"""A tensor, or a segment of the names of a part -> the class or function that reads it together with a model.

Sources: trl, `models/modeling_value_head.py`; OpenRLHF, `openrlhf/models/model.py`; DeepSpeed-Chat,
`dschat/utils/model/reward_model.py`; LLaVA, `llava/model/builder.py`; Medusa, `medusa/model/medusa_model.py`.
"""


def reader_of(name: str | None) -> str:
    """The class or function that reads a tensor or a family of such a part; "" for any other."""
    named = name or ""
    return READERS.get(named) or next((READERS[one] for one in named.split(".") if one in READERS), "")
