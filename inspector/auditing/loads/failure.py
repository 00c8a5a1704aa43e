"""Creates the finding on what one loader does with the checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from inspector.auditing.loads.accepted_values import accepted_by_peft
from inspector.auditing.loads.built_plain import built_plain
from inspector.auditing.loads.prefixes import prefixes, renames
from inspector.auditing.loads.quantized import has_packed, is_by_quantization, refused_if_read
from inspector.auditing.loads.single_experts import has_single_experts
from inspector.auditing.loads.surplus import surplus_block
from inspector.auditing.quantized.torchao_names import undivided_names
from inspector.auditing.result import Audit
from inspector.findings.finding import ARGS_REQUIRE, NO_SETTINGS, NOT_READ, Place
from inspector.loading.outcome import RANDOM, REFUSES, Load

if TYPE_CHECKING:
    from inspector.findings.loading import LoaderFails

CONFIRMED: Final = frozenset({"vocab_size", "hidden_size", "num_hidden_layers"})
"""Keys that the weights confirm unless a finding contradicts this."""
HEADS, WIDTH = "num_attention_heads", "head_dim"


def are_confirmed(audited: Audit, load: Load) -> bool:
    """True if the weights confirm all values that a loader refuses: no other value of these keys fits.

    The number of heads is the one of the weights if shapes follow from it and from a stated width of a head.
    """
    config, case = audited.checkpoint.config, audited.case
    if load.outcome != REFUSES or not load.keys or config is None or case is None:
        return False
    read = {leaf for row in case.plan.rows for leaf in row.reads}
    known = WIDTH in config.values and {(HEADS,), (WIDTH,)} <= read
    return (CONFIRMED | ({HEADS} if known else set())).issuperset(load.keys)


def _to_correct(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys to correct among keys that are refused together: those that the weights do not confirm, or all if they
    confirm every one.
    """
    return tuple(key for key in keys if key not in CONFIRMED) or keys


def failure(audited: Audit, load: Load, kind: type[LoaderFails], other: str = "") -> LoaderFails:
    """The finding on what a loader does with the checkpoint. other: a version that loads it."""
    config = audited.checkpoint.config
    unnamed = config is not None and not config.values.get("architectures")
    from inspector.auditing.layer_lists import list_of_layers

    added: tuple[Any, ...] = ()
    if load.setting is not None:
        from inspector.auditing.quantized.unfound_entries import added_entries

        added = added_entries(audited, load.setting)
    plain = built_plain(audited) if load.because == refused_if_read(audited) else ""
    return kind(
        place=Place(file=audited.checkpoint.set_name),
        loader=load.loader,
        version=load.version,
        outcome=load.outcome,
        missing=load.missing,
        because=load.because,
        loads=other,
        class_name=audited.class_name if unnamed and load.outcome == RANDOM else None,
        keys=_to_correct(load.keys),
        **accepted_by_peft(audited, load),
        surplus=surplus_block(audited, load),
        quantized=bool(plain)
        or (
            load.outcome in (REFUSES, RANDOM)
            and not load.because.startswith((NO_SETTINGS, ARGS_REQUIRE))
            and NOT_READ not in load.because
            and has_packed(audited)
            and is_by_quantization(audited, load)
        ),
        built_plain=plain,
        single_experts=load.loader == "transformers" and load.outcome == RANDOM and has_single_experts(audited),
        setting=load.setting,
        added=added,
        undivided=undivided_names(audited) if load.outcome == REFUSES else (),
        adapter=audited.checkpoint.adapter is not None and load.outcome == REFUSES and load.source == "documented",
        layer_list=list_of_layers(audited, load),
        prefixes=prefixes(audited, load),
        renames=renames(audited, load),
    )
