"""Recognises an EAGLE draft head, which proposes tokens to its target: the model that it was trained for.

Source: EAGLE, `model/cnets1.py`: one or more layers of the target's type; `fc` joins the embedding of a token and the
target's last hidden state; the first layer has no norm before its attention; the final norm and the head are taken from
the target. EAGLE-3, `model/cnets.py`: one layer, `midlayer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inspector.findings.finding import Place
from inspector.loader.config_file import named_class
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.names.components import DraftHead
    from inspector.matcher.families import Families
    from inspector.reconciler.place import Gap
    from inspector.reconciler.reconcile import Reconciled

JOINS: Final = "fc.weight"
BIAS: Final = "fc.bias"
LAYERS: Final = ("midlayer", "layers.#")
"""Names of the one layer of EAGLE-3: in its own code, and as vLLM's speculators and others write it."""
EAGLE_3: Final = "LlamaForCausalLMEagle3"
EAGLE_3_MLA: Final = "Eagle3DeepseekV2ForCausalLM"
EAGLE_1: Final = "EagleLlamaForCausalLM"
DFLASH: Final = "DFlashDraftModel"
KINDS: Final = {EAGLE_3: "EAGLE-3", EAGLE_3_MLA: "EAGLE-3", EAGLE_1: "EAGLE-1", DFLASH: "DFlash"}
"""The classes with the definitions of draft heads, with the name of each kind."""
OF_TARGET_OF_THREE: Final = ("embed_tokens.weight", "lm_head.weight")
"""Tensors that a draft head of EAGLE-3 may take from its target."""
OF_TARGET_OF_ONE: Final = ("embed_tokens.weight", "norm.weight", "lm_head.weight")
"""Tensors that a draft head of another kind may take from its target."""
OF_TARGET: Final = frozenset({"norm.final", "embed.token"})
"""Roles of the tensors that a draft head takes from its target."""


def draft_head(case: Reconciled) -> DraftHead | None:
    """The finding on a draft head, if it explains all missing and unexpected tensors."""
    left = case.as_configured
    joins = next((one for one in left.unexpected if one.key == JOINS), None)
    if joins is None or left.mismatched or any(one.key not in (JOINS, BIAS) for one in left.unexpected):
        return None
    shape = joins.layout.shape
    first = [gap for gap in left.missing if _is_first_norm(gap)]
    if len(first) != 1 or first[0].block.shape != shape[:1] or shape[1:] != (2 * shape[0],):
        return None
    if any(gap not in first and gap.block.slot.role not in OF_TARGET and not gap.is_head for gap in left.missing):
        return None
    from inspector.findings.names.components import DraftHead

    return DraftHead(
        place=Place(family=JOINS),
        model_type=case.reading.name,
        shape=shape,
        missing=tuple(family_name(gap.block.key) for gap in left.missing),
        tensors=sum(gap.tensors for gap in left.missing),
    )


def class_of_draft(families: Families) -> str | None:
    """The class with the definition of a draft head of these names; None for the names of anything else.

    EAGLE-3: the first layer reads the embedding next to the output of `fc`, each after a norm. DFlash has one norm
    after `fc`, the first EAGLE none, and there the first layer has none before its attention either.
    """
    if JOINS not in families:
        return None
    three = next((layer for layer in LAYERS if f"{layer}.hidden_norm.weight" in families), None)
    if three is not None:
        return EAGLE_3_MLA if f"{three}.self_attn.kv_a_proj_with_mqa.weight" in families else EAGLE_3
    if "layers.#.self_attn.q_proj.weight" not in families:
        return None
    if "hidden_norm.weight" in families:
        return DFLASH
    norms = families.get("layers.#.input_layernorm.weight")
    bare = "norm.weight" not in families and (norms is None or not any(0 in box[0] for box in norms.boxes))
    return EAGLE_1 if bare and "layers.#.post_attention_layernorm.weight" in families else None


def known_draft(case: Reconciled) -> DraftHead | None:
    """The finding on a draft head whose kind has a definition; None for the weights of another definition."""
    families = case.reading.families
    kind = next((name for name in KINDS if name in case.reading.definition.names), None)
    if kind is None or JOINS not in families:
        return None
    from inspector.findings.names.components import DraftHead

    shape = families[JOINS].usual.shape
    reported = {gap.block.key for gap in case.placement.missing}
    own = OF_TARGET_OF_THREE if kind in (EAGLE_3, EAGLE_3_MLA) else OF_TARGET_OF_ONE
    absent = tuple(name for name in own if name not in families and name not in reported)
    place = Place(family=JOINS)
    return DraftHead(
        place=place, model_type=KINDS[kind], shape=shape, missing=absent, tensors=len(absent),
        class_of_sglang=_class_of_sglang(case, kind), class_name=(named_class(case.claim.settings.values) or ""),
    )  # fmt: skip


def _class_of_sglang(case: Reconciled, kind: str) -> str:
    """The class under which SGLang has a draft head of EAGLE-3, if the config names a model instead: SGLang takes the
    class from `architectures` as it is (0.5.23, `srt/models/llama_eagle3.py`); vLLM puts `Eagle3` before it.
    """
    stated = named_class(case.claim.settings.values) or ""
    return kind if kind == EAGLE_3 and stated and "eagle" not in stated.casefold() else ""


def _is_first_norm(gap: Gap) -> bool:
    """True if the norm before the attention is missing from the first layer and from no other layer."""
    boxes = gap.boxes
    return gap.block.slot.role == "norm.attention" and gap.tensors == 1 and len(boxes[0]) == 1 and 0 in boxes[0][0]
