"""Audit for a single loader that the user names: what it does, and an error if it does not load the checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.auditing.loads.after_loading import left_open
from inspector.auditing.loads.encoders import SENTENCES, classifier_at_random
from inspector.auditing.loads.failure import failure
from inspector.auditing.loads.given_facts import given_of
from inspector.auditing.loads.of_other_programs import (
    TEXTUAL_INVERSION,
    VLLM,
    lone_adapter,
    refused_by,
    unread_names,
)
from inspector.auditing.loads.of_pipelines import of_whole_pipeline
from inspector.auditing.loads.ollama import not_read_by_ollama
from inspector.auditing.loads.other_format import (
    FOR_VLLM,
    READS,
    in_format_of_mistral,
    not_read,
    without_config_json,
)
from inspector.auditing.loads.other_names import of_no_loader
from inspector.auditing.loads.quantized import has_packed
from inspector.auditing.loads.served import served_with_base
from inspector.auditing.loads.unread_files import unread_files
from inspector.auditing.loads.written_by_mlx import written_by_mlx
from inspector.auditing.result import UNREADABLE, Audit, Skipped, verdict_of
from inspector.auditing.unlisted_modules import unlisted_for_library
from inspector.findings.finding import DEQUANTIZED, Finding, ordered
from inspector.loader.loaders import DIFFUSERS, LOADS_LORA, LORA_STEM, MLX_ADAPTERS, OF_MLX
from inspector.loader.weight_sets import PROJECTOR
from inspector.loading.ollama import LOADER as OLLAMA
from inspector.loading.outcome import (
    COMPLETE,
    FAILURES,
    MAY_BE_ABSENT,
    NOT_IN_FILE,
    UNKNOWN,
    UNSUPPORTED,
    Load,
)
from inspector.loading.tables import NEWEST

if TYPE_CHECKING:
    from inspector.findings.loading import LoaderFails

OF_LYCORIS: Final = "lycoris_config.json"
"""What trainers write beside an adapter that only the library LyCORIS loads, under the name of diffusers' LoRA."""
OWN_ENCODERS: Final = ("t5", "mt5", "umt5", "longt5", "switch_transformers")
"""Types of which sentence-transformers builds the class of the encoder."""
CONVERTING: Final = ("llama.cpp", "ollama", "vllm")
"""Loaders that read PEFT's adapters with code of their own, and refuse some for reasons of their own."""
OF_GGUF: Final = ("llama.cpp", "ollama")
"""Loaders that take a GGUF file where there is one."""


def of_own_set(audited: Audit, loader: str, again: Callable[[str], Audit]) -> Audit:
    """The audit of the weights that a loader takes, which may be others than the audited ones.

    again: audits the weights with a name.
    """
    checkpoint = audited.checkpoint
    if loader not in OF_GGUF or checkpoint.alone or checkpoint.is_gguf:
        return audited
    others = (one.name for one in checkpoint.other_sets if one.kind == "gguf")
    own = next((name for name in others if PROJECTOR not in name.casefold()), None)
    return audited if own is None else again(own)


def judged_for(audited: Audit, name: str) -> Audit:
    """The audit for one loader: what it does, and an error if it fails. name: "vllm", "transformers@4"."""
    loader, _, major = name.partition("@")
    wanted = [one for one in audited.loads if one.loader == loader]
    if loader == "transformers":
        wanted = [one for one in wanted if str(one.version).startswith(major or NEWEST)]
    if not wanted and loader == SENTENCES:
        wanted = list(_as_new_encoder(audited))
        audited = unlisted_for_library(audited, *classifier_at_random(audited)) if wanted else audited
    from inspector.findings.loading import LoaderFails

    if loader == DIFFUSERS.name and lone_adapter(audited) is not None and any(one.intended for one in wanted):
        return audited  # judged for this loader already
    refused = unread_files(audited, loader) or (None if wanted else refused_by(audited, loader, major))
    wanted = wanted if refused is None else [refused.load]
    if not wanted and loader == DIFFUSERS.name and (whole := of_whole_pipeline(audited)) is not None:
        wanted = [whole]
    findings = [one for one in audited.findings if not isinstance(one, LoaderFails)]
    if not wanted:
        return _by_none(audited, findings, name)
    load = replace(wanted[0], intended=True)
    if load.outcome in FAILURES and NOT_IN_FILE in load.because:
        findings = [_for_strict_names(one) for one in findings]
    if load.outcome in FAILURES:
        findings = [_as_model(one, loader) for one in findings]
    if loader == SENTENCES and load.outcome == COMPLETE:
        findings = [_without_head(one) for one in findings]
    seen = (one.after_loading(f"{loader} {load.version or ''}".strip(), load.outcome, load.because) for one in findings)
    findings = ordered(one for one in seen if one is not None)
    apart = audited.checkpoint.adapter is not None and loader in CONVERTING  # whatever is wrong for PEFT
    said = load.outcome != UNSUPPORTED and not apart and any(one.severity == "error" for one in findings)
    if load.outcome in FAILURES and not said:
        other = next((one for one in audited.loads if one.loader == loader and one.outcome == COMPLETE), None)
        named = "" if other is None else f"{other.loader} {other.version or ''}".strip()
        unread = None if refused is None else unread_names(findings)
        named = refused.reads if refused is not None and unread is None else named
        failed = replace(failure(audited, load, LoaderFails, named), exporter=_exporter(audited, findings))
        failed = _from_mlx(audited, load, failed)
        if unread is not None and (unread.renames or unread.scaled):  # one cause, one finding
            renames = unread.renames or ((unread.stored, unread.wanted),)
            failed = replace(failed, renames=renames, scaled=unread.scaled)
            findings = [one for one in findings if one is not unread]
        findings = ordered((*findings, failed))
    verdict = audited.verdict if audited.verdict == UNREADABLE else verdict_of(findings, audited.skipped)
    audited = replace(audited, loads=(load,), findings=tuple(findings), verdict=verdict)
    return left_open(audited, load) if load.outcome == UNKNOWN else audited


def _from_mlx(audited: Audit, load: Load, failed: LoaderFails) -> LoaderFails:
    """The finding with what MLX did to the tensors, for a folder that it wrote and another loader."""
    by_mlx = None if load.loader == MLX_ADAPTERS.name else written_by_mlx(audited, load)
    if by_mlx is None:
        return failed
    failed = replace(failed, because=by_mlx.because, keys=(), exporter=DEQUANTIZED if by_mlx.packed else "")
    other = OF_MLX if by_mlx.read else ""
    return replace(failed, by_mlx=not by_mlx.packed, packed=has_packed(audited), apart=by_mlx.apart, other=other)


def _exporter(audited: Audit, findings: Sequence[Finding]) -> str:
    """The converter of the program in whose format the folder is; "" for others with a config of transformers."""
    config = audited.checkpoint.config
    if config is not None and config.kind == "config":
        return ""
    from inspector.dialects.catalog import dialects_by
    from inspector.findings.names.architecture import NamesInDialect

    writers = [one.writer for one in findings if isinstance(one, NamesInDialect)]
    return next((one.exporter for writer in writers for one in dialects_by(writer)), "")


def _as_new_encoder(audited: Audit) -> Iterator[Load]:
    """What sentence-transformers does with a folder of transformers: it loads the base class, and adds a pooling.

    The pooling takes the embeddings of the tokens: a pooler that files may leave out is not used. Source:
    `_load_default_modules` and `modules/transformer.py` in sentence-transformers 6.2.
    """
    from inspector.loading.tables import names_of
    from inspector.loading.transformers import loads

    config, own = audited.checkpoint.config, next((one for one in audited.loads if one.intended), None)
    if config is None or own is None or own.loader != "transformers" or audited.checkpoint.adapter is not None:
        return
    model_type = str(config.values.get("model_type"))
    base = names_of(NEWEST).bases.get(model_type)
    if base is not None and model_type in OWN_ENCODERS:
        base = f"{base.removesuffix('Model')}EncoderModel"
    elif base is None or config.values.get("is_encoder_decoder"):
        return
    used = loads(replace(given_of(audited, config.values), class_name=base, case=None), NEWEST)
    if used.excuse == MAY_BE_ABSENT:
        used = replace(used, outcome=COMPLETE, because="", excuse="")
    yield replace(used, loader=SENTENCES, version=None, intended=True)


def for_its_loader(audited: Audit) -> Audit:
    """The audit of an adapter for diffusers: under the name of the file that diffusers looks for, with a pipeline of
    diffusers as its base, or if no other program reads it but the one that wrote it.
    """
    refused = refused_by(audited, DIFFUSERS.name)
    if refused is None:
        return audited
    checkpoint = audited.checkpoint
    named = checkpoint.set_name.startswith(f"{LORA_STEM}.") and OF_LYCORIS not in checkpoint.siblings
    pipeline = None if audited.base is None else audited.base.checkpoint.pipeline
    vectors = audited.architecture is not None and audited.architecture.name == TEXTUAL_INVERSION
    meant = named or not refused.elsewhere or (pipeline is not None and not vectors)  # it takes vectors one by one
    return judged_for(audited, DIFFUSERS.name) if meant else audited


def _for_strict_names(finding: Finding) -> Finding:
    """The finding for a loader that does not find the stored names, which the loader of the folder maps."""
    from inspector.findings.names.prefixes import PrefixOnNames, PrefixReadPast
    from inspector.findings.names.renamed import TensorRenamed, TensorRenamedByLoader

    if isinstance(finding, PrefixReadPast):
        return PrefixOnNames(**finding.stated_fields())
    return TensorRenamed(**finding.stated_fields()) if isinstance(finding, TensorRenamedByLoader) else finding


def _as_model(finding: Finding, loader: str) -> Finding:
    """The finding for a loader that is to load a model, of which the file has only the vocabulary."""
    from inspector.findings.names.gguf_architecture import VocabularyOnly

    return replace(finding, refused_by=loader) if isinstance(finding, VocabularyOnly) else finding


def _without_head(finding: Finding) -> Finding:
    """The finding for a loader that builds the base class: a head that is not trained is not used."""
    from inspector.findings.class_names import BaseModelUsed, HeadUntrained

    return BaseModelUsed(**finding.stated_fields()) if isinstance(finding, HeadUntrained) else finding


def _by_none(audited: Audit, findings: list[Finding], name: str) -> Audit:
    """The audit for a loader that does not read the format, or that behaves in an unknown way on it."""
    loader = name.partition("@")[0]
    findings, skipped = of_no_loader(findings), audited.skipped
    if loader == OLLAMA and (unread := not_read_by_ollama(audited)) is not None:
        findings = [*findings, unread]
    elif (other := without_config_json(audited, loader)) is not None:
        findings = [*findings, other]
    elif _is_of_another_kind(audited, loader):
        from inspector.findings.absent_config import ConfigMissing, ModelTypeMissing

        kept = [one for one in findings if not isinstance(one, ConfigMissing | ModelTypeMissing)]
        findings = [*kept, not_read(audited, loader)]
    else:
        skipped = (*skipped, Skipped(f"what {name} does", _of_another_format(audited, loader), decisive=True))
        findings = [*findings, *served_with_base(audited, loader)]
    listed = ordered(findings)
    verdict = audited.verdict if audited.verdict == UNREADABLE else verdict_of(listed, skipped)
    return replace(audited, findings=tuple(listed), skipped=skipped, verdict=verdict, loads=())


def _is_of_another_kind(audited: Audit, loader: str) -> bool:
    """True if a loader certainly does not read the audited kind of checkpoint."""
    checkpoint = audited.checkpoint
    if audited.components or not checkpoint.set_name or loader not in READS or _is_unknown_content(audited):
        return False
    config = checkpoint.config
    if loader == "llama.cpp":
        return not checkpoint.is_gguf and checkpoint.adapter is None
    of_transformers = config is not None and config.kind == "config" and "_class_name" not in config.values
    return of_transformers and checkpoint.adapter is None and not checkpoint.alone


def _is_unknown_content(audited: Audit) -> bool:
    """True if the content of the file is not that of a checkpoint, so that nothing says how to convert it."""
    from inspector.findings.reading.content import NotACheckpoint
    from inspector.loader.signature import OF_GGML

    kinds = {one.what for one in audited.findings if isinstance(one, NotACheckpoint)}
    return bool(kinds) and (audited.checkpoint.config is None or not kinds.isdisjoint(OF_GGML))


WHOLE: Final = frozenset({"safetensors", "pytorch"})
READ_GGUF_TOO: Final = frozenset({"transformers", "vllm"})
"""Loaders of other formats that read a GGUF file too: `gguf_file=`, or the file as the model."""


def _of_another_format(audited: Audit, loader: str) -> str:
    """The reason for which the behaviour of a loader of another format is open: its converter may know the class."""
    config, adapter = audited.checkpoint.config, audited.checkpoint.adapter
    if adapter is None and config is not None and config.kind == "config" and "_class_name" not in config.values:
        from inspector.loading.registries import converter_of

        class_name = given_of(audited, config.values).class_name
        known = converter_of(loader, class_name)
        if known is not None:
            verb = "names" if known[1] else "does not name"
            listed = f"the list of its converter ({known[0]}) {verb} {class_name}"
            return f"it reads only GGUF files; {listed if class_name else 'config.json names no class to convert'}"
    return _unread_by(audited, loader)


LOADS_FILE: Final = "from_single_file"
"""The call of diffusers for a model in a file without a config."""
OF_ONE_FILE: Final = "one file is read by from_single_file of its pipeline, not by from_pretrained; "


def _unless_named(audited: Audit, loader: str) -> str:
    """What is known of a loader that reads a GGUF file too. from_pretrained refuses a folder of GGUF files, with and
    without a config.json, unless `gguf_file=` names one (measured with 4.57 and 5.23).
    """
    files = audited.checkpoint.files
    if loader != "transformers" or len(files) != 1 or any(one.kind in WHOLE for one in audited.checkpoint.other_sets):
        return "how it reads GGUF files was not recorded"
    return f'from_pretrained needs gguf_file="{files[0].name}"; what it does with it was not recorded'


def _unread_by(audited: Audit, loader: str) -> str:
    """The reason for which a loader does not read the content of a folder."""
    own = next((one.loader for one in audited.loads if one.intended), None)
    if loader == DIFFUSERS.name and audited.checkpoint.config is None and audited.checkpoint.pipeline is None:
        lone = lone_adapter(audited)
        part = "" if lone is not None or not audited.components else OF_ONE_FILE
        call = LOADS_FILE if lone is None else lone.loaded_by or LOADS_LORA
        return f"{part}what {call} does with it was not recorded"
    if loader == DIFFUSERS.name and audited.components:
        open_ = [name for name, part in audited.components.items() if not any(one.intended for one in part.loads)]
        because = f"with {open_[0]} " if open_ else "with such a pipeline "
        return f"what it does {because}was not recorded"
    if audited.components:
        return f"it does not read a pipeline; diffusers does, and {loader} may read a component"
    adapter = audited.checkpoint.adapter
    if adapter is not None:
        base = adapter.values.get("base_model_name_or_path")
        named = f", {base}" if isinstance(base, str) and base else ""
        return f"an adapter is no model: it loads the base model{named}, and the adapter with it"
    if audited.checkpoint.config is None:
        return "there is no config for it"
    if audited.checkpoint.is_gguf and loader in READ_GGUF_TOO:
        return _unless_named(audited, loader)
    if loader == SENTENCES and own == "transformers":
        return "the class that it builds for this type was not recorded"
    if loader == VLLM and in_format_of_mistral(audited.checkpoint):
        return FOR_VLLM
    return f"it does not read this format{f', which is that of {own}' if own else ''}"
