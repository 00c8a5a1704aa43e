"""Reads the base of an adapter: the base that the user names, the base in the adapter's own folder, or the base named
in its config.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.auditing.adapter.base import audit_base, read_parts
from inspector.auditing.adapter.recognized import holds_adapter
from inspector.auditing.identity.own_code import is_foreign
from inspector.auditing.result import Audit, Skipped
from inspector.budget import Budget, Exceeded, one_budget
from inspector.dialects.reading import with_stated_config
from inspector.loader.checkpoint import Checkpoint, load, load_repository
from inspector.loader.config_file import Config, named_class
from inspector.loader.configs import config_at
from inspector.matcher.claim import claim_of
from inspector.matcher.families import families_of

if TYPE_CHECKING:
    from inspector.loader.sources.traffic import Progress


class BaseRead(Struct, frozen=True):
    """The requested base. audited: None if no base could be audited; because: the reason, in words.

    given: the user named the base, so that the result depends on this choice. unaudited: the config of a base that
    could not be audited.
    """

    source: str
    audited: Audit | None
    because: str = ""
    given: bool = False
    unaudited: Config | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """The values of its config; empty without one."""
        config = self.unaudited if self.audited is None else self.audited.checkpoint.config
        return {} if config is None else config.values

    def unread(self) -> Skipped:
        """The skipped check if no base could be audited."""
        if not self.given:
            return Skipped("shapes", "the base could not be read")
        return Skipped("the base", f"{self.source} could not be read: {self.because}", decisive=True)


def read_base(source: str, *, cached: bool = False, progress: Progress | None = None) -> BaseRead:
    """Reads the base that the user names: its weights, or only a config, which also determines the shapes."""
    from inspector.loader.sources.address import shown

    if source.endswith(".json") and not source.endswith(".index.json") and os.path.isfile(source):
        config = config_at(source)[0]
        if config is None:
            return BaseRead(source, None, "the config cannot be read", given=True)
        described = Checkpoint(source, os.path.basename(source), config, address=source)
        read = _audited(source, lambda: described)
    else:
        read = _audited(shown(source), lambda: load(source, cached=cached, progress=progress))
    return replace(read, given=True)


def _audited(named: str, loaded: Callable[[], Checkpoint]) -> BaseRead:
    """A base that is read and audited within a budget of its own: what it takes is not taken from the adapter."""
    with one_budget(Budget()):
        try:
            return _audited_base(loaded(), named)
        except Exceeded as exceeded:
            return BaseRead(named, None, str(exceeded))


def _audited_base(checkpoint: Checkpoint, named: str) -> BaseRead:
    parts = read_parts(checkpoint)
    if parts is not None:
        return BaseRead(named, parts)
    checkpoint = with_stated_config(checkpoint)
    audited = audit_base(checkpoint)
    if _is_adapter_alone(checkpoint):
        return BaseRead(named, None, "it is an adapter too, not the model that an adapter changes")
    if not checkpoint.readable and claim_of(checkpoint.config).definition is None:
        errors = [one for one in audited.findings if one.severity == "error"]
        because = f"{errors[0].name}: {errors[0].message}" if errors else "no weights and no config found"
        return BaseRead(named, None, because, unaudited=checkpoint.config)
    return BaseRead(named, audited)


def _is_adapter_alone(checkpoint: Checkpoint) -> bool:
    """True if a source has an adapter's weights, and no config that describes a model."""
    if not checkpoint.readable or claim_of(checkpoint.config).definition is not None:
        return False
    return holds_adapter(checkpoint, families_of(checkpoint.tensors))


def base_from_folder(checkpoint: Checkpoint) -> BaseRead | None:
    """The base described by the config in the adapter's folder, which determines the shapes; None
    without a definition, and for a class of other code, such as LLaVA's own `LlavaLlamaForCausalLM`.
    """
    config = checkpoint.config
    if config is None or config.kind != "config" or claim_of(config).definition is None:
        return None
    if is_foreign(named_class(config.values)):
        return None
    read = _audited(config.file, lambda: Checkpoint(config.file, config.file, config, address=config.file))
    return None if read.audited is None else read


def read_named_base(checkpoint: Checkpoint, progress: Progress | None = None) -> BaseRead:
    """Reads the base that the adapter's config names, if it is a repository of the Hub.

    A config may not name a local path or an address outside the Hub.
    """
    from inspector.loader.sources.address import InvalidAddress, repository_named

    values = checkpoint.adapter.values if checkpoint.adapter is not None else {}
    name, revision = values.get("base_model_name_or_path"), values.get("revision")
    if not isinstance(name, str) or not name:
        return BaseRead("the base", None, "adapter_config.json does not name one")
    found = repository_named(name, revision if isinstance(revision, str) and revision else None)
    if isinstance(found, InvalidAddress):
        because = "adapter_config.json names it, which is not a repository of the Hub; pass it with --base PATH"
        return BaseRead(name, None, because)
    return _audited(name, lambda: load_repository(found, cached=checkpoint.cached, progress=progress))
