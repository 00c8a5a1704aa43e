"""Recognises modules that programs train on top of a frozen model and save separately, by their distinctive names.

Sources: ChatGLM-6B, `ptuning/main.py` (only trained parameters are saved; its README shows how to load them); Medusa,
`medusa/train/train_legacy.py` (`medusa_lm_head.pt`) and `medusa/model/medusa_model.py`; LLaVA, `llava/train/train.py`
(`safe_save_model_for_hf_trainer` saves `mm_projector.bin`) and `llava/model/builder.py`; LitGPT, `litgpt/adapter.py`
and `adapter_v2.py` (`adapter_filter`); LLaMA-Adapter, `llama/model.py` and `example.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from inspector.findings.finding import Place
from inspector.matcher.families import Families, Family
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.names.added_part import AddedPartAlone


class AddedPart(NamedTuple):
    """A module: its name, a pattern for the keys of its tensors, keys of which it has one, how to load it, the config
    key that states the rows of the first one, and the switch in the config with which it has a second one.
    """

    name: str
    keys: re.Pattern[str]
    marks: tuple[str, ...]
    how: str
    rows: str = ""
    switch: tuple[str, str] = ("", "")


PARTS: Final = (
    AddedPart(
        "the prefix encoder of P-tuning v2",
        re.compile(r"transformer\.prefix_encoder\.(?:embedding|trans\.#)\.(?:weight|bias)"),
        ("transformer.prefix_encoder.embedding.weight",),
        "then this file with model.transformer.prefix_encoder.load_state_dict, without "
        '"transformer.prefix_encoder." in its names',
        "pre_seq_len",
        ("prefix_projection", "transformer.prefix_encoder.trans.#.weight"),
    ),
    AddedPart(
        "the adapter of LitGPT",
        re.compile(
            r"transformer\.h\.#\.attn\.(?:gating_factor|adapter_wte\.weight)"
            r"|(?:transformer\..*|lm_head)\.adapter_(?:bias|scale)|transformer\.(?:h\.#\.norm_[12]|ln_f)\.(?:weight|bias)"
        ),
        ("transformer.h.#.attn.gating_factor",),
        "in the format of LitGPT, then this file with its generate_adapter or generate_adapter_v2",
    ),
    AddedPart(
        "the adapter of LLaMA-Adapter",
        re.compile(r"adapter_query\.weight|layers\.#\.attention\.gate"),
        ("adapter_query.weight",),
        "in the format of Meta, then this file with the code of LLaMA-Adapter",
    ),
    AddedPart(
        "the heads of Medusa",
        re.compile(r"#\.#\.(?:linear\.)?(?:weight|bias)"),
        ("#.#.linear.weight",),
        "together with these heads, with Medusa's MedusaModel",
    ),
    AddedPart(
        "the projector of LLaVA",
        re.compile(r"model\.mm_projector\.(?:#\.)?(?:weight|bias)"),
        ("model.mm_projector.weight", "model.mm_projector.#.weight"),
        "as model_base of LLaVA's load_pretrained_model, with these tensors in mm_projector.bin (torch.save)",
    ),
    AddedPart(
        "the projector that LLaVA trained with a LoRA",
        re.compile(r"base_model\.model\.(?:model\.)?mm_projector\.(?:#\.)?(?:weight|bias)"),
        tuple(
            f"base_model.model.{module}.weight"
            for module in ("model.mm_projector", "model.mm_projector.#", "mm_projector", "mm_projector.#")
        ),
        "as model_base of LLaVA's load_pretrained_model, with non_lora_trainables.bin in the folder of the LoRA",
    ),
)
MOST_OF_PART: Final = 24
"""Most families that any of these modules has."""
OF_PART: Final = ("completeness", "a module that was added to a model: the model is elsewhere")
"""The check that is then skipped, and the reason."""


def added_part(families: Families, values: Mapping[str, Any]) -> AddedPartAlone | None:
    """The finding on a checkpoint that consists only of such a module; None for any other checkpoint. values: of the
    config next to it.
    """
    for part in PARTS:
        marks = next((key for key in part.marks if key in families), None)
        if marks is not None and all(part.keys.fullmatch(key) for key in families):
            from inspector.findings.names.added_part import AddedPartAlone

            return AddedPartAlone(
                place=Place(family=family_name(marks)),
                part=part.name,
                how=part.how,
                tensors=sum(family.tensors for family in families.values()),
                elements=sum(family.elements for family in families.values()),
                **_other_rows(families[marks], part.rows, values),
                **_switched(families, *part.switch, values),
            )
    return None


def _other_rows(family: Family, key: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The key that states the rows of a matrix, its value and the rows, if they differ."""
    stated, shapes = values.get(key), family.shapes
    rows = next(iter(shapes))[0] if len(shapes) == 1 and len(next(iter(shapes))) == 2 else None
    differ = type(stated) is int and rows is not None and stated != rows
    return {"key": key, "stated": stated, "rows_stored": rows} if differ else {}


def _switched(families: Families, switch: str, key: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The switch of the config that contradicts the second tensor, which is stored or not."""
    stated, there = values.get(switch, False), key in families
    return {"switch": switch, "switched_on": there} if switch and isinstance(stated, bool) and stated != there else {}
