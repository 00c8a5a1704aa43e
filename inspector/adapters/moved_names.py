"""Modules of an adapter under names that PEFT does not find in memory, although the base has or had these names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from inspector.adapters.base import Base
from inspector.adapters.names import PREFIX, renames_of, tuner_name
from inspector.adapters.peft_configs import renames
from inspector.findings.adapters.wrapped import AdapterNamesOlder, AdapterNamesWrapped
from inspector.findings.words import count
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

TASKS_WITH_HEAD: Final = frozenset({"CAUSAL_LM", "SEQ_2_SEQ_LM", "SEQ_CLS", "TOKEN_CLS", "QUESTION_ANS"})
"""Tasks for which PEFT's class wraps a model with its head."""
MOVED: Final[Mapping[str, Sequence[tuple[str, str]]]] = dict.fromkeys(
    ("qwen2_vl", "qwen2_5_vl"),
    (("model.layers.", "model.language_model.layers."), ("visual.", "model.visual.")),
)
"""Model type -> (prefix before transformers 4.52, prefix in memory since), for types with LoRA names that PEFT 0.21
does not convert.
"""
OF_COLPALI: Final[Mapping[str, bool]] = {
    "BiQwen2": False, "BiQwen2_5": False, "ColQwen2": True, "ColQwen2_5": True,
}  # fmt: skip
"""Classes of colpali-engine that extend the model without its head -> True if they rename older names.

Measured with colpali-engine 0.3.14 and 0.3.18, PEFT 0.21 and transformers 5.23.
"""


def older(base: Base, found: Sequence[AdapterNamesWrapped]) -> str:
    """Which tensors have names of before transformers 4.52, in words that follow another clause; "" if none has."""
    starts = tuple(PREFIX + before for before, _ in MOVED.get(base.name, ()))
    tensors = sum(one.tensors for one in found if one.stored.startswith(starts))
    return f"; {count(tensors, 'tensor')} have names that {base.name} had before transformers 4.52" if tensors else ""


def _class_name(base: Base) -> str:
    return "" if base.claim is None else base.claim.class_name or ""


def _read_by(class_name: str, found: AdapterNamesWrapped) -> AdapterNamesOlder:
    """The finding on names that the class itself renames."""
    return AdapterNamesOlder(**found.stated_fields(), class_name=class_name)


def named_elsewhere(
    base: Base, method: str, values: Mapping[str, Any], families: Families
) -> Iterator[AdapterNamesWrapped]:
    """Findings on modules for which PEFT looks under other names than the stored ones, although the base has these
    names too.
    """
    known = OF_COLPALI.get(_class_name(base))
    if known is None and base.root and str(values.get("task_type")) in TASKS_WITH_HEAD:
        yield from _under("", base.root, families)
    for before, after in MOVED.get(base.name, ()) if method == "lora" else ():
        wanted = after.removeprefix("model.") if base.bare or known is not None else after
        found = _under(before, wanted, families) if wanted != before else None
        yield from map(partial(_read_by, _class_name(base)), found) if found and known else found or ()


def is_of_own_code(base: Base) -> bool:
    """True if the config states a class that the definition does not know: its names in memory are unknown."""
    claim = base.claim
    if _class_name(base) in OF_COLPALI:
        return False
    return claim is not None and claim.class_name is not None and claim.definition is not None and claim.head is None


def unreached_families(base: Base, values: Mapping[str, Any], families: Families) -> dict[str, str]:
    """Families under names in the base's files that PEFT does not find in memory -> the names that it finds.

    PEFT renames only the tensors of LoRA, for some bases, and reverts this if its prefix and the old name end in the
    new one (`convert_peft_adapter_state_dict_for_transformers` in `utils/transformers_weight_conversion.py`).
    """
    if base.apart or base.root or "peft_type" not in values:  # without it PEFT loads nothing
        return {}
    renaming = renames(values, base.settings.values.get("model_type"))
    held = {one.module: one.held for one in base.tensors if one.held}
    found = {}
    for key in families:
        name = tuner_name(key)
        if name is None or name.module not in held or not key.startswith(PREFIX + name.module):
            continue
        wanted = held[name.module]
        if not (renaming and ".lora_" in key) or (PREFIX + name.module).endswith(wanted):
            found[key] = PREFIX + wanted + key.removeprefix(PREFIX + name.module)
    return found


def names_of_files(unreached: Mapping[str, str], families: Families) -> Iterator[AdapterNamesWrapped]:
    """The finding that PEFT does not find modules under their names in the files of the base."""
    if unreached:
        key, wanted = next(iter(unreached.items()))
        boxes = families[key].stored[0].boxes
        yield AdapterNamesWrapped(
            tensors=sum(families[one].tensors for one in unreached),
            of=sum(family.tensors for one, family in families.items() if tuner_name(one) is not None),
            stored=names_in(key, boxes, 1)[0],
            wanted=names_in(wanted, boxes, 1)[0],
            renames=renames_of(list(unreached), lambda one: unreached.get(one, one), families),
        )


def _under(before: str, after: str, families: Families) -> Iterator[AdapterNamesWrapped]:
    """The finding on modules stored under names with another beginning than PEFT looks for."""
    old = PREFIX + before
    tuned = [family for key, family in families.items() if tuner_name(key) is not None and key.startswith(old)]
    if not tuned:
        return
    new = PREFIX + after
    keys = [family.key for family in tuned]
    stored = names_in(tuned[0].key, tuned[0].stored[0].boxes, 1)[0]
    yield AdapterNamesWrapped(
        tensors=sum(family.tensors for family in tuned),
        of=sum(family.tensors for key, family in families.items() if tuner_name(key) is not None),
        stored=stored,
        wanted=f"{new}{stored.removeprefix(old)}",
        renames=renames_of(keys, lambda key: new + key.removeprefix(old), families),
    )
