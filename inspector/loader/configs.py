"""The configs of a source: config.json and the files that other tools write instead."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import (
    CONFIG_FILES,
    CONFIG_LIMIT,
    LITGPT_FILES,
    MODULAR_INDEX,
    QUANTIZATION_KEYS,
    SIDE_FILES,
    Config,
    Kind,
    read_config,
)
from inspector.loader.sources.folder import locate
from inspector.loader.sources.source import Listing, Refusal, Source


def _names_modular(index: Config) -> bool:
    """True if a pipeline's index names a modular pipeline: diffusers 0.42 then reads `modular_model_index.json`."""
    return str(index.values.get("_class_name")).endswith("ModularPipeline")


def config_at(path: str) -> tuple[Config | None, tuple[Finding, ...]]:
    """(the config file at a local path, the findings on it)."""
    found = locate(path)
    if isinstance(found, Refusal):
        from inspector.findings.reading.content import ConfigUnreadable

        absent = found.reason == "absent"
        problem, detail = ("does not exist", "") if absent else ("cannot be read", found.detail)
        return None, (
            ConfigUnreadable(
                place=Place(file=path), problem=problem, detail=detail, position=None, what="", named=absent
            ),
        )
    place, name = found
    if name is None:
        name = "config.json"
    return read_config(place, name, _kind_of(name))


def _kind_of(name: str) -> Kind:
    kinds: dict[str, Kind] = {
        "params.json": "params",
        "adapter_config.json": "adapter",
        "model_index.json": "pipeline",
        MODULAR_INDEX: "pipeline",
    }
    return kinds.get(name, "config")


def read_configs(
    source: Source, listing: Listing, given: tuple[Config | None, tuple[Finding, ...]] | None
) -> tuple[dict[str, Config], list[Finding]]:
    """The configs of a place by kind. params.json counts only if no config.json could be read."""
    configs: dict[str, Config] = {}
    findings: list[Finding] = []
    if given is not None:
        findings.extend(given[1])
        if given[0] is not None:
            configs[given[0].kind] = given[0]
    for name in CONFIG_FILES:
        kind = _kind_of(name)
        main = kind in ("config", "params")
        if main and (given is not None or "config" in configs):
            continue
        replaces = name == MODULAR_INDEX and kind in configs and _names_modular(configs[kind])
        if (kind in configs and not replaces) or (name not in listing.files and name not in listing.others):
            continue
        config, faults = read_config(source, name, kind)
        findings.extend(faults)
        if config is not None:
            configs[kind] = config
    if given is None and not {"config", "params"} & configs.keys():
        config = _litgpt(source, listing)
        if config is not None:
            configs["config"] = config
    return configs, findings


def _litgpt(source: Source, listing: Listing) -> Config | None:
    """The config of litgpt, used without any other config."""
    if not any(name in listing.files for name in LITGPT_FILES):
        return None
    from inspector.loader.formats.flat_yaml import read_values

    for name in LITGPT_FILES:
        raw = source.read_whole(name, CONFIG_LIMIT) if name in listing.files else b""
        values = None if isinstance(raw, Refusal) or not raw else read_values(name, raw)
        if values:
            return Config(name, values, "litgpt")
    return None


def side_values(source: Source, listing: Listing, configs: Mapping[str, Config]) -> dict[str, Mapping[str, object]]:
    """Quantization settings in separate files, if the config has none."""
    config = configs.get("config")
    if config is not None and any(key in config.values for key in QUANTIZATION_KEYS):
        return {}
    read = {name: read_config(source, name, "config")[0] for name in SIDE_FILES if name in listing.files}
    return {name: one.values for name, one in read.items() if one is not None}
