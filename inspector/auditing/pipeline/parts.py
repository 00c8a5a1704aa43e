"""Compares the parts of a pipeline with each other: their classes, and widths that two of them share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of, modules
from inspector.architectures.defaults import class_defaults
from inspector.auditing.identity.own_code import is_foreign
from inspector.auditing.loads.given_facts import given_of
from inspector.auditing.pipeline.files import kind_of
from inspector.auditing.pipeline.widths import FAMILIES, classes_of_input
from inspector.auditing.result import CLEAN, FINDINGS, UNREADABLE, Audit, verdict_of
from inspector.findings.base_alone import BaseAlone
from inspector.findings.config import ConfigDisagrees
from inspector.findings.declared import ClassUnknown
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.loading import LoaderFails
from inspector.findings.names.architecture import NamesOfAnotherArchitecture
from inspector.findings.names.layers import LayersMissing
from inspector.findings.names.pipelines import ComponentClassDiffers, ComponentClassUnfit, ComponentOfAnotherModel
from inspector.findings.names.tensors import PartUnexpected, TensorMissing, TensorUnexpected
from inspector.findings.shapes import ShapeDiffers
from inspector.findings.shards.names import FileNameUnknown, VariantOnly
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loading.outcome import RANDOM, REFUSES
from inspector.loading.pipelines import PROJECTED, UNPROJECTED, accepted_in, model_classes, projecting_in
from inspector.loading.tables import NEWEST, type_of_class
from inspector.loading.transformers import loads
from inspector.matcher.claim import claim_of
from inspector.matcher.families import families_of
from inspector.matcher.reading import read_claimed

if TYPE_CHECKING:
    from inspector.findings.single_causes import KeyValues

PACKED: Final = 4
"""Number of latents (2 times 2) that a transformer of FLUX or Qwen-Image reads as one."""
EQUAL: Final[Sequence[tuple[str, str, str, str, int]]] = (
    ("vae", "latent_channels", "unet", "in_channels", 1),
    ("vae", "latent_channels", "unet", "out_channels", 1),
    *(
        ("vae", latent, "transformer", key, times)
        for latent in ("latent_channels", "z_dim")
        for key in ("in_channels", "out_channels")
        for times in (1, PACKED)
    ),
    ("text_encoder", "hidden_size", "unet", "cross_attention_dim", 1),
    ("text_encoder", "d_model", "transformer", "text_dim", 1),
    ("text_encoder", "d_model", "transformer", "caption_channels", 1),
    ("text_encoder", "hidden_size", "transformer", "joint_attention_dim", 1),
    ("text_encoder_2", "d_model", "transformer", "joint_attention_dim", 1),
    ("text_encoder_3", "d_model", "transformer", "joint_attention_dim", 1),
)
"""(component, key, other component, its key, factor): in most pipelines the second value is the first one times the
factor.
"""
OF_WEIGHTS: Final = (ConfigDisagrees, TensorMissing, LayersMissing, TensorUnexpected, PartUnexpected, ShapeDiffers)
"""Findings that compare weights with a config; they follow if the weights belong to another model."""


def as_the_pipeline_loads(part: Audit, class_name: str) -> Audit:
    """A component with a class that is neither in transformers nor in diffusers' models, without predictions and
    findings for AutoModel.
    """
    if not part.loads or not is_foreign(class_name) or class_name in model_classes():
        return part
    findings = tuple(one for one in part.findings if not isinstance(one, LoaderFails | ClassUnknown))
    verdict = part.verdict if part.verdict == UNREADABLE else verdict_of(findings, part.skipped)
    return replace(part, loads=(), findings=findings, verdict=verdict)


def as_named(component: Checkpoint, class_name: str) -> Checkpoint:
    """A component with the class named in the index, if its own config names none."""
    config = component.config
    if config is None or config.kind != "config":
        return component
    if "model_type" in config.values:
        return _with_class(component, config, class_name)
    if not _is_model(class_name):
        return component
    if isinstance(config.values.get("_class_name"), str | list):
        return component
    return replace(component, config=replace(config, values={**config.values, "_class_name": class_name}))


def _with_class(component: Checkpoint, config: Config, class_name: str) -> Checkpoint:
    """A component of transformers with a config that names no class: the pipeline loads it with the class from its
    index.
    """
    if config.values.get("architectures") or type_of_class(class_name) != config.values["model_type"]:
        return component
    return replace(component, config=replace(config, values={**config.values, "architectures": [class_name]}))


def without_class(part: Audit, config: Config | None, class_name: str) -> Audit:
    """A component of diffusers with a config that names no class, or a value that is not a text, with the finding on
    this.

    config: the config as it is stored.
    """
    if config is None or part.checkpoint.config is config or "model_type" in config.values:
        return part
    from inspector.findings.absent_config import ModelTypeMissing
    from inspector.findings.config import ConfigImpossible
    from inspector.findings.single_causes import ConfigKeysAbsent, ConfigOfAnotherSize
    from inspector.findings.unknown_keys import KeyNotUnderstood

    place, findings = Place(file=config.file, key="_class_name"), part.findings
    if "_class_name" in config.values:
        found = ModelTypeMissing(place=place, class_name=class_name, values={"_class_name": class_name})
        findings = (found, *findings)
    elif part.verdict == FINDINGS and config.values.keys().isdisjoint(class_defaults(class_name)[0]):
        of_values = ConfigDisagrees | ConfigImpossible | ConfigOfAnotherSize | ConfigKeysAbsent | KeyNotUnderstood
        kept = (one for one in findings if not isinstance(one, of_values | LoaderFails))
        found = ModelTypeMissing(place=place, class_name=class_name, foreign=tuple(config.values)[:NAMES_SHOWN])
        findings = (found, *kept)
    else:
        return part
    return replace(part, findings=findings, verdict=verdict_of(findings, part.skipped))


def of_the_pipeline(name: str, class_name: str, parts: Mapping[str, Audit], pipeline: object) -> Iterator[Finding]:
    """The findings of a component in the light of the other components: its weights, and not its config, belong to
    another model. pipeline: the class of the pipeline.
    """
    part = parts[name]
    config = part.checkpoint.config
    own = None if config is None else config.values.get("_class_name")
    others = {
        id(one): ComponentOfAnotherModel(
            place=Place(file=part.checkpoint.set_name), component=name, key=one.key, config=one.stated,
            weights=one.solved, agreeing=agreeing,
        )
        for one in part.findings
        if isinstance(one, ConfigDisagrees) and (agreeing := _agreeing(name, one, parts, pipeline)) is not None
    }  # fmt: skip
    others |= _of_sizes(name, parts, pipeline)
    for one in part.findings:
        if isinstance(one, NamesOfAnotherArchitecture) and own == class_name and not _is_of_names(config, one):
            yield replace(one, component=name)
        elif id(one) in others:
            yield others[id(one)]
        elif not (isinstance(one, BaseAlone) or (others and isinstance(one, OF_WEIGHTS))):
            yield one  # a pipeline reads hidden states of its text encoders


def _of_sizes(name: str, parts: Mapping[str, Audit], pipeline: object) -> dict[int, ComponentOfAnotherModel]:
    """The findings in place of those on several sizes of a component, one of which agrees with another component."""
    from inspector.findings.single_causes import ConfigOfAnotherSize

    found: dict[int, ComponentOfAnotherModel] = {}
    file = parts[name].checkpoint.set_name
    for one in parts[name].findings:
        for value in one.keys if isinstance(one, ConfigOfAnotherSize) else ():
            agreeing = _agreeing(name, value, parts, pipeline)
            if agreeing is not None:
                found[id(one)] = ComponentOfAnotherModel(
                    place=Place(file=file), component=name, key=value.key, config=value.stated, weights=value.solved,
                    agreeing=agreeing,
                )  # fmt: skip
                break
    return found


def _is_of_names(config: Config | None, finding: NamesOfAnotherArchitecture) -> bool:
    """True if the config has keys that the class of the names has and the class that it states does not."""
    if config is None or finding.class_of_diffusers is None:
        return False
    own, names = (class_defaults(one)[0].keys() for one in (finding.claimed, finding.class_of_diffusers))
    return not (names - own).isdisjoint(config.values)


def of_one_variant(parts: Mapping[str, Audit]) -> VariantOnly | None:
    """The finding on components that have only the files of one variant."""
    found: dict[str, dict[str, FileNameUnknown]] = {}
    for name, part in parts.items():
        for one in part.findings:
            if isinstance(one, FileNameUnknown) and one.variant:
                found.setdefault(one.variant, {})[name] = one
    if len(found) != 1:
        return None
    ((variant, named),) = found.items()
    if len(named) < 2:
        return None
    files = tuple(f"{name}/{one.place.file}" for name, one in named.items())
    return VariantOnly(variant=variant, components=tuple(named), files=files, all=len(named) == len(parts))


def _agreeing(
    name: str, finding: ConfigDisagrees | KeyValues, parts: Mapping[str, Audit], pipeline: object
) -> str | None:
    """The key of another component without problems that has a value which agrees with the config of this component and
    not with its weights, or the class of the pipeline if its denoiser reads more than the latents.

    None if the value also fits the weights: a transformer may pack its latents or not, and a denoiser for filling, or
    for an additional image, reads more than the latents.
    """
    if type(finding.stated) is not int or type(finding.solved) is not int:
        return None
    if _reads_more(name, finding.key, finding.solved, parts):
        return None
    if pipeline in set(classes_of_input(name, finding.key, finding.stated, _latents(parts), pipeline)):
        return str(pipeline)
    by_config = _that_fit(name, finding.key, finding.stated, parts)
    by_weights = set(_that_fit(name, finding.key, finding.solved, parts))
    return next((one for one in by_config if one not in by_weights), None)


def _reads_more(name: str, key: str, value: int, parts: Mapping[str, Audit]) -> bool:
    """True if this is the number of channels of a denoiser that reads more than the latents of this VAE."""
    channels = _latents(parts)
    return any(one for family in FAMILIES for one in classes_of_input(name, key, value, channels, family))


def _latents(parts: Mapping[str, Audit]) -> object:
    """The number of channels of the VAE's latents, if nothing is wrong with it."""
    vae = parts.get("vae")
    config = None if vae is None or vae.verdict != CLEAN else vae.checkpoint.config
    return None if config is None else config.values.get("latent_channels")


def _that_fit(name: str, key: str, value: int, parts: Mapping[str, Audit]) -> Iterator[str]:
    """Keys of other components without problems that agree with a value of a component's key."""
    for first, its_key, second, other_key, times in EQUAL:
        if (name, key) == (first, its_key):
            other, own, wanted = second, other_key, value * times
        elif (name, key) == (second, other_key) and value % times == 0:
            other, own, wanted = first, its_key, value // times
        else:
            continue
        part = parts.get(other)
        config = None if part is None or part.verdict != CLEAN else part.checkpoint.config
        if config is not None and config.values.get(own) == wanted:
            yield f"{other}.{own}"


def of_another_class(pipeline: object, wanted: Mapping[str, str], parts: Mapping[str, Audit]) -> Iterator[Finding]:
    """Findings on components that have a config or weights of another class than the pipeline names; two exchanged
    components are one finding. pipeline: the class of the pipeline.
    """
    found = {one.component: one for one in _of_another_class(wanted, parts)}
    for name, one in list(found.items()):
        other = next((two for two in wanted if _is_exchanged(two, one, wanted, parts)), None)
        if other is not None and name in found:
            found[name] = replace(one, exchanged=other)
            found.pop(other, None)
    for name, one in found.items():
        taken = accepted_in(pipeline, name) if isinstance(pipeline, str) else ()
        if one.exchanged or (one.index in taken) is (one.config in taken):
            yield one
        elif one.index in taken:
            yield replace(one, taken=True)
        else:
            fits = parts[name].verdict == CLEAN
            yield replace(one, library=_library(one.config)) if fits else one


def _library(class_name: str) -> str:
    """The library of a class of models."""
    return "diffusers" if class_name in model_classes() else "transformers"


def _is_exchanged(
    name: str, finding: ComponentClassDiffers, wanted: Mapping[str, str], parts: Mapping[str, Audit]
) -> bool:
    """True if a component has the class that another one needs, and is to have the other one's."""
    config = parts[name].checkpoint.config if name in parts else None
    own = None if config is None else config.values.get("_class_name") or parts[name].class_name
    return name != finding.component and (wanted[name], own) == (finding.config, finding.index)


def of_unfit_classes(index: Config, wanted: Mapping[str, str], parts: Mapping[str, Audit]) -> Iterator[Finding]:
    """Findings on text encoders without a projection that the pipeline needs."""
    pipeline = index.values.get("_class_name")
    for name in projecting_in(pipeline) if isinstance(pipeline, str) else ():
        if wanted.get(name) == UNPROJECTED and name in parts:
            yield ComponentClassUnfit(
                place=Place(file=index.file, key=name),
                component=name,
                pipeline=str(pipeline),
                index=UNPROJECTED,
                needed=PROJECTED,
                stored=any("text_projection" in key for key in parts[name].checkpoint.tensors),
            )


def _of_another_class(wanted: Mapping[str, str], parts: Mapping[str, Audit]) -> Iterator[ComponentClassDiffers]:
    for name, part in parts.items():
        config = part.checkpoint.config
        if config is None or any(isinstance(one, NamesOfAnotherArchitecture) for one in part.findings):
            continue
        own = config.values.get("_class_name")
        other = _knows_none(wanted[name], part) or _fails_as(wanted[name], part) or _is_model(wanted[name])
        if own is None and other:
            own = part.class_name or config.values.get("model_type")
        elif own == wanted[name] or not _is_known(wanted[name]) or not _is_class(own):
            continue
        if isinstance(own, str):
            yield ComponentClassDiffers(place=Place(file=f"{name}/"), component=name, index=wanted[name], config=own)


def _is_class(stated: Any) -> bool:
    """True for the name of a class of diffusers or transformers."""
    return isinstance(stated, str) and (stated in modules() or kind_of(stated) is not None)


def _knows_none(class_name: str, part: Audit) -> bool:
    """True if a class of transformers has none of the names stored for it."""
    of = type_of_class(class_name)
    if of is None or definition_of(of) is None or part.architecture is None or not part.checkpoint.tensors:
        return False
    file = part.checkpoint.config
    assert file is not None
    if file.values.get("model_type") == of:
        return False
    values: dict[str, Any] = {"model_type": of, "architectures": [class_name]}
    reading = read_claimed(claim_of(replace(file, values=values)), families_of(part.checkpoint.tensors), ())
    return reading is None or reading.coverage == 0


def _fails_as(class_name: str, part: Audit) -> bool:
    """True if the transformers class named by the pipeline leaves tensors random that the config's class loads."""
    config = part.checkpoint.config
    if config is None or class_name == part.class_name or part.verdict != CLEAN:
        return False
    of, values = type_of_class(class_name), dict(config.values)
    if of is None or "model_type" not in values:
        return False
    if not any(key.endswith("_config") and key != "quantization_config" for key in values):
        values["model_type"] = of  # the class reads any config as its own; of a composite model it may take a part
    given = replace(given_of(part, values), class_name=class_name, case=None)
    found = loads(given, NEWEST)
    return found.outcome in (RANDOM, REFUSES) and not found.excuse


def _is_known(class_name: str) -> bool:
    return _is_model(class_name) or type_of_class(class_name) is not None


def _is_model(class_name: str) -> bool:
    return class_name in modules() or class_name in model_classes()
