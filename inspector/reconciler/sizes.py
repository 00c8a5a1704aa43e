"""Several wrong config keys with one cause: the config of another size of the model family, or absent keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from inspector.architectures.sizes import published_as
from inspector.architectures.unet_heads import HEADS, has_other_heads, published_unet
from inspector.dialects.params import KEYS as PARAMS_KEYS
from inspector.dialects.params import SIZES as SIZES_OF_PARAMS
from inspector.findings.finding import Finding, Place
from inspector.findings.single_causes import KeyValues
from inspector.matcher.claim import NO_CONFIG
from inspector.notation.beyond import CLASS
from inspector.notation.parts import submodels_of
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.reconciler.inverse.cause import Cause
from inspector.reconciler.place import Placed, Placement
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.single_causes import ConfigOfAnotherSize

KEYS_SHOWN = 12
FEWEST_SHAPES = 6
"""From this number of families with another shape on, the whole config may belong to another model."""
FEWEST_KEYS = 3
"""From this number of wrong sizes on, the whole config belongs to another model."""


Found = tuple[Finding, bool]
"""A finding, and whether it also explains that a head is missing."""


def of_another_size(case: Reconciled, again: Again) -> Found | None:
    """The finding on a config with several wrong sizes, if the corrected config explains everything.

    A published model with exactly the stored number of parameters shows whether the head is tied. Since the whole
    config belongs to another model, a value is certain only if the weights determine it without a number of the config.
    For a published UNet or ControlNet a size and a switch suffice, for any part of a pipeline a size and two switches,
    as between the autoencoders of Stable Diffusion and FLUX.
    """
    causes = list(case.causes)
    stored = case.ledger.counts.unique_parameters
    unet = published_unet(case.reading.name, stored) if len(causes) > 1 else None
    of_pipeline = CLASS in case.plan.scope.settings.values and len(causes) >= FEWEST_KEYS
    if sum(map(_is_size, causes)) < (1 if unet or of_pipeline else 2) or _holds_integers(case):
        return None
    if not _explained(case):
        return _whole_without_config(case, again)
    published = (unet.name,) if unet else published_as(case.reading.name, stored)
    if len(causes) < FEWEST_KEYS and not published:
        return None

    determined = _determined(_without_sizes(case, again))
    keys = [_key_values(cause, causes) for cause in causes]
    keys = [one if unet or determined.get(one.key) == one.solved else replace(one, others=True) for one in keys]
    tied = bool(published and case.placement.missing)
    if tied:
        path = ("tie_word_embeddings",)
        value, defaulted = case.plan.scope.settings.read(path)
        keys.append(KeyValues(path[0], value, True, defaulted, False))
    finding = _another_size(case, causes[0].key, stored, keys)
    if unet is not None:
        unseen = (HEADS,) if has_other_heads(unet, case.plan.scope.settings.values) else ()
        finding = replace(finding, published=published, unseen=unseen)
    return finding, tied


def _whole_without_config(case: Reconciled, again: Again) -> Found | None:
    """The finding on a config with several wrong sizes, more layers than are stored and another head, if the weights
    alone are exactly a published model: then nothing is lost.
    """
    if case.placement.mismatched or case.placement.unexpected:
        return None
    other = _without_sizes(case, again)
    stored = other.ledger.counts.unique_parameters
    left, head = other.placement, [gap for gap in other.placement.missing if not gap.block.slot.body]
    if left.mismatched or left.unexpected or len(head) < len(left.missing):
        return None
    if not published_as(case.reading.name, stored):
        return None
    causes, keys = list(case.causes), _differing(case, other)
    if not {cause.key for cause in causes} < {one.key for one in keys}:
        return None
    return _another_size(case, causes[0].key, stored, keys[:KEYS_SHOWN]), True


def _differing(case: Reconciled, other: Reconciled) -> list[KeyValues]:
    """The numbers of the config that the weights contradict. other: the case without the numbers of the config."""
    settings, keys = case.plan.scope.settings, []
    for key, value in _determined(other).items():
        stated, defaulted = settings.read(tuple(key.split(".")))
        if not (_counts(value) and _counts(stated)) or isinstance(value, list) > isinstance(stated, list):
            continue
        alike = isinstance(stated, list) and type(value) is int and {*stated} == {value}  # the same at each place
        if value != stated and not alike:
            keys.append(KeyValues(key, stated, value, defaulted, True))
    return keys


def _another_size(
    case: Reconciled,
    key: str,
    stored: int,
    keys: Sequence[KeyValues],
    differing: int | None = None,
    tensors: int | None = None,
) -> ConfigOfAnotherSize:
    """The finding on a config of another size. stored: number of parameters of the weights."""
    from inspector.findings.single_causes import ConfigOfAnotherSize

    return ConfigOfAnotherSize(
        place=Place(key=key),
        file=_config_file(case),
        described=case.ledger.counts.expected_parameters,
        stored=stored,
        published=published_as(case.reading.name, stored),
        keys=tuple(keys),
        differing=differing,
        tensors=tensors,
        absent=_absent_configs(case),
        of_params=_of_params(case, keys),
    )


def _of_params(case: Reconciled, keys: Sequence[KeyValues]) -> tuple[str, ...]:
    """The keys of a params.json in the config of a class, which takes its defaults for all sizes but those with the
    same key.
    """
    return _stated_params(case) if any(one.absent for one in keys) else ()


def _stated_params(case: Reconciled) -> tuple[str, ...]:
    """The keys of a params.json in a config of another kind, if all sizes of such a file are among them."""
    values = case.plan.scope.settings.values
    stated = tuple(key for key in PARAMS_KEYS if key in values)
    return () if case.claim.is_params or not set(SIZES_OF_PARAMS) <= set(stated) else stated


def of_another_model(case: Reconciled, again: Again) -> Finding | None:
    """The finding on a config with mostly wrong shapes, if the weights are a complete model of the same definition.

    A class of diffusers refuses lists of other lengths, which is a finding of its own: few shapes are then wrong.
    """
    placement = case.as_configured
    if _holds_integers(case):
        return None
    of_transformers = CLASS not in case.plan.scope.settings.values
    upright = [one for one in placement.mismatched if not (one.transposed or one.reshaped)]
    most = _are_most(placement, upright) or (of_transformers and _differs_mostly(placement, upright))
    if (not most or _fits_elsewhere(placement, upright)) and not _of_other_blocks(placement, upright):
        return None  # transposed and reshaped matrices have the right sizes
    other = _without_sizes(case, again)
    if of_transformers and not _explained(other):
        other = _without_values(case, again)
    if not _explained(other):
        return None
    keys, stored = _differing(case, other), other.ledger.counts.unique_parameters
    return _another_size(case, keys[0].key if keys else "model_type", stored, keys[:KEYS_SHOWN])


def _are_most(placement: Placement, wrong: Sequence[Placed]) -> bool:
    """True if most tensors of the model, or most of one of its parts in many families, have other shapes."""
    parts = {one.block.slot.scope for one in wrong}
    for part in ((), *sorted(parts)):
        inside = [one for one in wrong if one.block.slot.scope[: len(part)] == part]
        placed = sum(one.tensors for one in placement.placed if one.block.slot.scope[: len(part)] == part)
        if (not part or len(inside) >= FEWEST_SHAPES) and 2 * sum(one.tensors for one in inside) > placed:
            return True
    return False


def _differs_mostly(placement: Placement, wrong: Sequence[Placed]) -> bool:
    """True if many families have other shapes, and these with missing and unexpected tensors are most of the model."""
    if len(wrong) < FEWEST_SHAPES:
        return False
    missing = sum(gap.tensors for gap in placement.missing)
    differing = sum(one.tensors for one in wrong) + missing + sum(extra.tensors for extra in placement.unexpected)
    return 2 * differing > sum(one.tensors for one in placement.placed) + missing


def _without_sizes(case: Reconciled, again: Again) -> Reconciled:
    """The case as if the config stated only its words and switches: model types and no number."""
    return _stating(case, again, _words_of(case.plan.scope.settings.values))


def _without_values(case: Reconciled, again: Again) -> Reconciled:
    """The case as if the config stated only model types."""
    return _stating(case, again, _types_of(case.plan.scope.settings.values))


def _stating(case: Reconciled, again: Again, values: Mapping[str, Any]) -> Reconciled:
    """The case as if the config stated only these values."""
    reading, aliases = case.reading, case.plan.scope.settings.aliases
    settings = Settings(values, aliases=aliases, known=False)
    return again(NO_CONFIG, replace(reading, scope=Scope(reading.definition, settings, reading.scope.lookup)))


def _types_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The model types of a config and its sub-configs."""
    found = {key: _types_of(value) if isinstance(value, Mapping) else value for key, value in values.items()}
    return {key: value for key, value in found.items() if key == "model_type" or isinstance(value, dict)}


def _words_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The texts and switches of a config and its sub-configs."""
    found = {key: _words_of(value) if isinstance(value, Mapping) else value for key, value in values.items()}
    return {key: value for key, value in found.items() if isinstance(value, str | bool | dict)}


def _determined(case: Reconciled) -> Mapping[str, Any]:
    """The values of config keys that the weights determine alone."""
    from inspector.reconciler.inverse.answers import answers_of

    return answers_of(case).determined


def _of_other_blocks(placement: Placement, wrong: Sequence[Placed]) -> bool:
    """True if other blocks are stored than the config lists: some are missing, some unexpected, some mismatched. An
    additional block at the beginning shifts the widths of all following blocks.
    """
    return bool(placement.missing and placement.unexpected and wrong)


def of_other_shapes(case: Reconciled) -> Finding | None:
    """The finding on a config under which many tensors are mismatched, if no keys are found that explain this.

    These are most of the tensors, or several keys are wrong in addition to those found.
    """
    left = case.placement if len(case.causes) < FEWEST_KEYS else case.as_configured
    wrong = [one for one in left.mismatched if not (one.computed or one.transposed or one.reshaped)]
    tensors = sum(one.tensors for one in wrong)
    placed = sum(one.tensors for one in left.placed)
    several = len(case.causes) >= FEWEST_KEYS and bool(case.placement.mismatched)
    if len(wrong) < FEWEST_SHAPES or not (several or _are_most(left, wrong)):
        return None
    if case.plan.scope.faults or _holds_integers(case):
        return None
    if _fits_elsewhere(left, wrong):
        return None

    return _another_size(case, "model_type", case.ledger.counts.unique_parameters, (), tensors, placed)


def _fits_elsewhere(placement: Placement, wrong: Sequence[Placed]) -> bool:
    """True if other layers of most families fit the config although all layers are equal by it: the config is then
    right.
    """
    shapes: dict[str, set[object]] = {}
    for one in placement.placed:
        shapes.setdefault(one.block.key, set()).add(one.block.shape)
    fitting = {one.block.key for one in placement.placed if one.fits and len(shapes[one.block.key]) == 1}
    return 2 * sum(one.tensors for one in wrong if one.block.key in fitting) > sum(one.tensors for one in wrong)


def _absent_configs(case: Reconciled) -> tuple[str, ...]:
    """The keys of the sub-configs that the config lacks."""
    keys = dict.fromkeys(submodel.config for submodel in submodels_of(case.reading.definition))
    return tuple(key for key in keys if key and not case.plan.scope.settings.values.get(key))


def keys_absent(case: Reconciled) -> Found | None:
    """The finding on several absent keys with defaults that the weights contradict."""
    causes = list(case.causes)
    if len(causes) < 2 or not all(cause.defaulted and cause.interval is None for cause in causes):
        return None
    if not _explained(case) or _stated_params(case):  # the heads of a params.json may be others than the class's
        return None
    from inspector.findings.single_causes import ConfigKeysAbsent

    finding = ConfigKeysAbsent(
        place=Place(key=causes[0].key),
        file=_config_file(case),
        keys=tuple(_key_values(cause, causes) for cause in causes),
        explains=sum(cause.explains for cause in causes),
        families=tuple(dict.fromkeys(family_name(key) for cause in causes for key in cause.families))[:20],
    )
    return finding, False


def _is_size(cause: Cause) -> bool:
    """True if a cause is a number or a list of numbers, and the config has the same kind of value."""
    return _counts(cause.weights) and (cause.config is None or _counts(cause.config))


def _counts(value: object) -> bool:
    return type(value) is int or (isinstance(value, list) and bool(value) and all(type(one) is int for one in value))


def _holds_integers(case: Reconciled) -> bool:
    """True if most mismatched tensors are integers: packed weights do not have the shapes of a model."""
    wrong = case.as_configured.mismatched
    whole = [one for one in wrong if not one.layout.dtype.startswith(("F", "BF", "C"))]
    return 2 * len(whole) > len(wrong)


def _explained(case: Reconciled) -> bool:
    """True if the causes together explain everything except a head that may be tied."""
    left = case.placement
    return not (left.mismatched or left.unexpected) and all(gap.block.slot.tied for gap in left.missing)


def _key_values(cause: Cause, causes: list[Cause]) -> KeyValues:
    """A cause as a key with its values. Rivals that are causes themselves do not count as alternatives."""
    found = {(one.key, one.weights) for one in causes if isinstance(one.weights, int | str)}
    others = [rival for rival in cause.rivals if not isinstance(rival[1], int | str) or rival not in found]
    several = bool(others or cause.together or cause.interval)
    return KeyValues(cause.key, cause.config, cause.weights, cause.defaulted, several)


def _config_file(case: Reconciled) -> str:
    return "params.json" if case.claim.is_params else "config.json"
