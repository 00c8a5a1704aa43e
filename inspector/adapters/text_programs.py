"""Recognises LoRA for language models under the names of programs that have names of their own for the modules.

Sources: torchtune `torchtune/modules/peft/lora.py` and `models/convert_weights.py` (`tune_to_peft_adapter_weights`);
mistral-finetune `finetune/checkpointing.py` (it saves the trained tensors, norms among them) and `utils/merge_lora.py`;
litgpt `litgpt/lora.py` (`lora_filter`; joint matrices have as many pairs as parts) and `litgpt/scripts/merge_lora.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, NamedTuple


class TextProgram(NamedTuple):
    """A program: its name, the names of its adapters and of what it saves with them, what loads them and what makes
    them readable for others.
    """

    name: str
    modules: re.Pattern[str]
    beside: re.Pattern[str] | None
    itself: str
    convert: str


PROGRAMS: Final = (
    TextProgram(
        "torchtune",
        re.compile(
            r"(?:decoder\.|encoders\.\w+\.)?(?:layers\.#\.(?:layer\.|fusion_layer\.)?(?:attn\.(?:[qkv]|output)_proj|"
            r"mlp\.w[123])|output)\.(?:lora_[ab]\.weight|magnitude)"
        ),
        None,
        "a recipe of torchtune",
        "convert it with torchtune's tune_to_peft_adapter_weights, and write adapter_config.json",
    ),
    TextProgram(
        "mistral-finetune",
        re.compile(r"(?:layers\.#\.(?:attention\.w[qkvo]|feed_forward\.w[123])|output)\.lora_[AB]\.weight"),
        re.compile(r"(?:layers\.#\.(?:attention_norm|ffn_norm)|norm)\.weight"),
        "load_lora of mistral-inference",
        "merge it with mistral-finetune's utils.merge_lora, and convert the merged weights",
    ),
    TextProgram(
        "litgpt",
        re.compile(
            r"(?:transformer\.h\.#\.(?:attn\.(?:attn|qkv|proj)|mlp\.(?:fc(?:_[12])?|proj|gate))|lm_head)\.(?:linear\.)?lora_[AB]"
        ),
        None,
        "litgpt generate with the base",
        "merge it with litgpt merge_lora, and convert the merged weights with litgpt convert_from_litgpt",
    ),
)


def text_program(keys: Collection[str]) -> TextProgram | None:
    """The program whose adapter some names are; None for any other set of names."""
    for program in PROGRAMS:
        modules = [key for key in keys if program.modules.fullmatch(key)]
        others = len(keys) - len(modules)
        beside = sum(program.beside.fullmatch(key) is not None for key in keys) if program.beside is not None else 0
        if modules and others == beside:
            return program
    return None
