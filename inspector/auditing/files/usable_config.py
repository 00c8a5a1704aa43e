"""Checks whether the config of a folder is there and tells its loader which model to build."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import defaults_of
from inspector.auditing.result import Audit
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.config_file import LITGPT_FILES, Config
from inspector.loader.loaders import DIFFUSERS, TRANSFORMERS
from inspector.loading.processors import GENERATION, PROCESSORS
from inspector.loading.tables import NEWEST, names_of, rules_of, type_of_class
from inspector.loading.tokenizer_files import MAP, SETTINGS
from inspector.matcher.claim import claim_of
from inspector.matcher.reading import read_claimed
from inspector.reconciler.reconcile import Reconciled, reconcile

CONFIG: Final = TRANSFORMERS.config
OTHER_CONFIGS: Final = (
    "params.json", "open_clip_config.json", "modules.json", "config_sentence_transformers.json", *LITGPT_FILES
)  # fmt: skip
"""Files that describe how weights without a config.json are loaded."""
OF_TRANSFORMERS: Final = (GENERATION, SETTINGS, MAP, *PROCESSORS)
"""Files that transformers saves next to a model: weights under its file names are then for it, whatever the model."""
CLIP_TABLES: Final = ("text_model.embeddings.token_embedding.weight", "embeddings.token_embedding.weight")
"""The table of CLIP's text encoder alone, in older and newer names of transformers."""
CLIP_TOKENS: Final = 49408
"""Tokens of the text encoders of Stable Diffusion; a textual inversion adds its own behind them."""
OF_ACCELERATE: Final = ("random_states_0.pkl",)
"""A file that `Accelerator.save_state` writes beside each model (`RNG_STATE_NAME` in its `utils/constants.py`)."""
TYPED: Final = ("model_type", "auto_map", "_class_name", "quantization")
"""Keys of a config.json that tell a loader the class: its type, code of the repository, diffusers' class, MLX."""


def _types(audited: Audit) -> tuple[str, ...]:
    """The model type of an audit, the types of its definition, and the types with the same names."""
    if audited.architecture is None:
        return ()
    reading = None if audited.case is None else audited.case.reading
    others = () if reading is None else (*reading.definition.names, *reading.same_names)
    return (audited.architecture.name, *others)


def _type_to_state(audited: Audit) -> str | None:
    """The model type of the definition, by the class if several types share the definition."""
    if audited.architecture is None or audited.case is None:
        return None
    of_class = None if audited.class_name is None else type_of_class(audited.class_name)
    same = of_class is not None and definition_of(of_class) is audited.case.reading.definition
    return of_class if same else audited.architecture.model_type


def _keys_of_no_model(audited: Audit, config: Config) -> tuple[str, ...]:
    """The first keys of a config if none of its keys is read to build the model with these names."""
    if audited.case is None or "architectures" in config.values:
        return ()
    from inspector.matcher.spelling import keys_of_definition

    known = keys_of_definition(audited.case.plan.scope)
    return () if known & config.values.keys() else tuple(config.values)[:NAMES_SHOWN]


def _is_of_diffusers(audited: Audit) -> bool:
    """True if only diffusers has the model, under any file name: accelerate gives all files the same name."""
    if audited.architecture is None or audited.architecture.model_type is not None or _is_single_file(audited):
        return False
    from inspector.loading.pipelines import model_classes

    return audited.architecture.name in model_classes()


def _is_single_file(audited: Audit) -> bool:
    """True if the names are those of another program, and neither library looks for a file of this name."""
    named = audited.checkpoint.set_name
    program = audited.case is not None and audited.case.reading.writer
    return bool(program) and not any(one.finds(named) for one in (TRANSFORMERS, DIFFUSERS))


def _by_names(audited: Audit, config: Config) -> dict[str, Any]:
    """For a config without type and class: the type that has these tensor names, and the number of other types with the
    same names.

    Empty if the config does not give the shapes of that type, wrong values aside: it was written in the terms of
    another program.
    """
    from inspector.findings.names.architecture import ArchitectureFromNames

    found = next((one for one in audited.findings if isinstance(one, ArchitectureFromNames)), None)
    if found is None or audited.case is None:
        return {}
    of_prefix = _types_with_prefix(audited, config, audited.case.reading.prefix)
    if of_prefix:
        return {"by_names": of_prefix[0], "alike": len(of_prefix) - 1}
    if not _fits_type(audited, _corrected(audited.case, config), found.architecture):
        return {}
    return {"by_names": found.architecture, "alike": len(found.twins)}


def _corrected(case: Reconciled, config: Config) -> Config:
    """A config with the values that the weights have in place of wrong ones."""
    values = {one.key: one.weights for one in case.causes if one.key in config.values and one.element is None}
    return replace(config, values={**config.values, **values})


def _types_with_prefix(audited: Audit, config: Config, prefix: str) -> list[str]:
    """The types whose classes with a head have this prefix before their names and for which the config gives all
    tensors, the one that is called like the prefix first. Other types with the same names load nothing below it.
    """
    name = prefix.removesuffix(".")
    bases = names_of(NEWEST).bases.items() if name else ()
    named = [one for one, base in bases if (rules := rules_of(base, NEWEST)) is not None and rules.prefix == name]
    fitting = [one for one in named if _fits_type(audited, config, one)]
    return sorted(fitting, key=lambda one: one != name)


def _fits_type(audited: Audit, config: Config, model_type: str) -> bool:
    """True if the config of this type gives the name and the shape of every tensor, with or without a head."""
    base = names_of(NEWEST).bases.get(model_type)
    return _fits(audited, config, {"model_type": model_type}) or (
        base is not None and _fits(audited, config, {"model_type": model_type, "architectures": [base]})
    )


def _fits(audited: Audit, config: Config, stated: dict[str, Any]) -> bool:
    """True if the config together with some more keys would give the name and the shape of every tensor."""
    if audited.case is None:
        return False
    claim = claim_of(replace(config, values={**config.values, **stated}))
    reading = read_claimed(claim, audited.case.reading.families)
    return reading is not None and not reconcile(claim, reading, (), solve=False).as_configured.differences


def _component_without_sizes(audited: Audit, config: Config) -> Iterator[Finding]:
    """The finding on a component with a config that does not state its sizes: its class uses its own defaults, which
    differ.

    If the config states the sizes, the classes of diffusers load a component even if the config does not name the
    class.
    """
    case = audited.case
    if case is None or case.reading.writer:
        return  # where its names are another program's, the whole file is
    if not case.solved or _fits(audited, config, {"_class_name": case.reading.name}):
        yield from _refused_unnamed(audited, case, config)
        return
    from inspector.findings.absent_config import ModelTypeMissing

    stated = tuple(config.values)[:NAMES_SHOWN]
    yield ModelTypeMissing(place=Place(file=CONFIG, key="_class_name"), class_name=case.reading.name, foreign=stated)


def _refused_unnamed(audited: Audit, case: Reconciled, config: Config) -> Iterator[Finding]:
    """The findings on values that every class with these names refuses, for a config that names none."""
    from inspector.architectures.diffusers_values import refused_by_class
    from inspector.reconciler.diffusers_values import refused_values

    named = [{**config.values, "_class_name": one} for one in (case.reading.name, *case.reading.same_names)]
    if all(any(refused_by_class(values)) for values in named):
        yield from refused_values(named[0], case.plan.scope, audited.findings)


def class_unnamed(audited: Audit) -> Iterator[Finding]:
    """The finding on a component whose `_class_name` is null or a number, which every class of diffusers refuses."""
    config, known = audited.checkpoint.config, audited.architecture
    stated = "" if config is None else config.values.get("_class_name", "")
    if known is None or not _is_of_diffusers(audited) or isinstance(stated, str | list):
        return
    from inspector.findings.absent_config import ModelTypeMissing

    meant = {"_class_name": known.name}
    yield ModelTypeMissing(place=Place(file=CONFIG, key="_class_name"), class_name=known.name, values=meant)


def _states_type(config: Config) -> bool:
    """True if a config names the type of its model, a class or its own code; a `model_type` that is no text names
    none.
    """
    stated = {key for key in TYPED if key in config.values}
    return isinstance(config.values.get("model_type"), str) or bool(stated - {"model_type"})


def config_unusable(audited: Audit) -> Iterator[Finding]:
    """The error of a loader on the folder of a known model that has no config.json, or one that names no type."""
    checkpoint = audited.checkpoint
    if checkpoint.is_gguf:
        return  # the sizes follow from the file itself
    loader = DIFFUSERS if _is_of_diffusers(audited) else None
    loader = loader or next((one for one in (TRANSFORMERS, DIFFUSERS) if one.finds(checkpoint.set_name)), None)
    config, names = checkpoint.config, checkpoint.siblings
    similar = next((name for name in sorted(names) if name.casefold() == CONFIG and name != CONFIG), None)
    known = any(defaults_of(name) is not None for name in _types(audited))
    saved = loader is TRANSFORMERS and not names.keys().isdisjoint(OF_TRANSFORMERS)
    if loader is None or not (known or similar or (saved and config is None)):
        return  # of a type that neither library has nobody knows which loader it is for
    if config is not None and config.file == CONFIG:
        if _states_type(config):
            return
        if loader is DIFFUSERS:
            yield from _component_without_sizes(audited, config)
            return
        from inspector.findings.absent_config import ModelTypeMissing

        program, meant = _meant(audited, config)
        yield ModelTypeMissing(
            place=Place(file=CONFIG, key="model_type"),
            program=program,
            values=meant,
            renames=_other_names(audited) if meant else (),
            class_name=audited.class_name,
            model_type=_type_to_state(audited),
            foreign=() if meant else _keys_of_no_model(audited, config),
            **_by_names(audited, config),
        )
    elif config is None and CONFIG not in names and names.keys().isdisjoint(OTHER_CONFIGS):
        from inspector.findings.absent_config import ConfigMissing

        similar, lacking = similar or _copy_of_config(audited), {}
        if similar is None and loader is TRANSFORMERS:
            from inspector.auditing.files.named_config import config_of_other_name

            similar, lacking = config_of_other_name(audited) or (None, {})
        missing = ConfigMissing(place=Place(file=CONFIG), loader=loader.name, similar=similar, lacking=lacking)
        yield missing if similar else replace(missing, learned=_learned_tokens(audited))


def _learned_tokens(audited: Audit) -> int:
    """How many tokens more than CLIP's vocabulary a text encoder has that accelerate saved with the state of a
    training.
    """
    stored = audited.stored or {}
    table = next((stored[key] for key in CLIP_TABLES if key in stored), None)
    if table is None or len(table.shapes) != 1 or audited.checkpoint.siblings.keys().isdisjoint(OF_ACCELERATE):
        return 0
    return max(next(iter(table.shapes))[0] - CLIP_TOKENS, 0)


def _meant(audited: Audit, config: Config) -> tuple[str | None, dict[str, Any]]:
    """(program in whose words a config states its model, the same in those of transformers); (None, {}) for others."""
    from inspector.auditing.identity.restated import restated
    from inspector.dialects import mamba_ssm, whisper

    for program, meant in ((mamba_ssm.PROGRAM, mamba_ssm.config_of(config.values)),
                           (whisper.WRITER, whisper.config_of(config.values))):  # fmt: skip
        if meant is not None and (values := restated(audited, config, meant)):
            stated = config.values
            return program, {key: new for key, new in values.items() if key not in stated or stated[key] != new}
    readable = mamba_ssm.config_of(config.values) is not None and _has_other_norms(audited)
    return (mamba_ssm.PROGRAM if readable else None), {}


def _has_other_norms(audited: Audit) -> bool:
    """True if the weights are complete but for biases of norms, which the program of the config can have."""
    from inspector.findings.names.biases import BiasesUnexpected
    from inspector.reconciler.norm_switches import are_of_norms

    wrong = [one for one in audited.findings if one.severity != "note"]
    return len(wrong) == 1 and all(isinstance(one, BiasesUnexpected) and are_of_norms(one.families) for one in wrong)


def _other_names(audited: Audit) -> tuple[tuple[str, str], ...]:
    """The names of such a program that transformers does not read, if they are stored."""
    from inspector.dialects.mamba_ssm import TABLE

    return (TABLE,) if TABLE[0] in audited.checkpoint.tensors else ()


def _copy_of_config(audited: Audit) -> str | None:
    """The only file with the name of a copy of config.json that gives the name and the shape of every tensor."""
    from inspector.auditing.files.copied_config import copied_configs

    fitting = [one.file for one in copied_configs(audited.checkpoint, CONFIG) if _fits(audited, one, {})]
    return fitting[0] if len(fitting) == 1 else None
