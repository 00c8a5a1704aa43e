"""The functions of the package: audit, compare, formula, load, explain."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from inspector import inputs
from inspector.auditing.result import Audit as AuditResult
from inspector.auditing.start import audit_opened
from inspector.budget import one_budget
from inspector.comparing.checkpoints import compare_audits
from inspector.comparing.files import with_files
from inspector.dialects.reading import with_stated_config
from inspector.formulas import formula as _formula
from inspector.inputs import AnyConfig, RepositoryMetadata, Source, Tensors
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.checkpoint import load as _load
from inspector.loader.config_file import Config
from inspector.loader.sources.access import access
from inspector.loader.sources.traffic import Progress
from inspector.results import Audit, Comparison, Formula

Result = TypeVar("Result", Audit, Comparison, Formula)


def _as(kind: type[Result], result: Any) -> Result:
    return kind(**{name: getattr(result, name) for name in result.__struct_fields__})


def load(
    source: Source,
    *,
    config: AnyConfig | None = None,
    weights: str | None = None,
    revision: str | None = None,
    subfolder: str | None = None,
    repo_type: str | None = None,
    local_files_only: bool = False,
    cache_dir: str | os.PathLike[str] | None = None,
    token: str | bool | None = None,
    progress: Progress | None = None,
) -> Checkpoint:
    """
    Reads the headers of a checkpoint; no tensor data.

    Parameters
    ----------
    source:
        A path, `org/name` on the Hub, an address that fsspec knows, a Checkpoint, huggingface_hub's
        SafetensorsRepoMetadata, or tensors by name: arrays, torch tensors or pairs (dtype, shape).
    config:
        A path, a dict or a config object of transformers, used instead of the one next to the weights.
    weights:
        Which set of weights to read, if there are several.
    revision, subfolder, repo_type, local_files_only, cache_dir, token:
        As in huggingface_hub. A Checkpoint keeps no token: pass it to `audit` too if there is more to fetch.
    progress:
        Called with `done`, `total` (files) and `bytes` while headers arrive over a network.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a source or config. Damaged content never raises: it is in the findings.
    """
    read = inputs.config_of(config)
    if not isinstance(source, str | os.PathLike):
        return with_stated_config(_in_memory(source, read))
    with one_budget(), access(token, cache_dir):
        loaded = _load(
            os.fspath(source),
            weights=weights,
            config=read,
            revision=revision,
            subfolder=subfolder,
            repo_type=repo_type,
            cached=local_files_only,
            progress=progress,
        )
    return with_stated_config(loaded)


def _in_memory(source: Checkpoint | Tensors | RepositoryMetadata, config: str | Config | None) -> Checkpoint:
    """The checkpoint made from objects in memory, with their own config or the config at a path."""
    if isinstance(config, str):
        from inspector.loader.configs import config_at

        chosen, findings = config_at(config)
        checkpoint = inputs.checkpoint_of(source, chosen)
        return replace(checkpoint, config=chosen, findings=(*checkpoint.findings, *findings))
    checkpoint = inputs.checkpoint_of(source, config)
    return checkpoint if config is None else replace(checkpoint, config=config)


def audit(
    source: Source,
    *,
    config: AnyConfig | None = None,
    claim: int | str | None = None,
    base: str | os.PathLike[str] | Sequence[str] | None = None,
    with_base: bool = False,
    values: bool = False,
    tensors: tuple[str, ...] = (),
    sample: bool = False,
    reference: bool = False,
    loader: str | None = None,
    weights: str | None = None,
    revision: str | None = None,
    subfolder: str | None = None,
    repo_type: str | None = None,
    local_files_only: bool = False,
    cache_dir: str | os.PathLike[str] | None = None,
    token: str | bool | None = None,
    progress: Progress | None = None,
) -> Audit:
    """
    Checks that a checkpoint is complete and matches its config.

    Parameters
    ----------
    source, config, weights, revision, subfolder, repo_type, local_files_only, cache_dir, token, progress: as in `load`.
    claim: a total to explain, 8030257152 or "8.03B".
    base, with_base:
        An adapter's base or several to compare with, or whether to read the repository that the adapter's config names.
    values, tensors, sample, reference:
        Whether to read the numbers too, of which tensors alone; whether to compare samples of tied copies; whether to
        open healthy files with safetensors.
    loader: "transformers", "transformers@4", "vllm" ...: judges for this loader alone, as `--for` does.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a source, config, claim or loader. Damaged content never raises: it is in the findings.

    Examples
    --------
    >>> from inspector import audit
    >>> result = audit({"wte.weight": ("F32", (50257, 768))}, config={"model_type": "gpt2"})
    >>> result.verdict, result.counts.unique_parameters
    ('findings', 38597376)
    """
    stated, wanted = inputs.claim_of(claim), inputs.loader_of(loader)
    read = partial(
        load, source, config=config, revision=revision, subfolder=subfolder, repo_type=repo_type, progress=progress,
        local_files_only=local_files_only, cache_dir=cache_dir, token=token,
    )  # fmt: skip
    judge = partial(audit_opened, claim=stated, base=inputs.place_of(base), with_base=with_base, progress=progress)
    with access(token, cache_dir):
        audited = _of_set(weights, read, judge, wanted)
        audited = _read_more(audited, values or bool(tensors), tensors, reference, progress, sample=sample)
        return _as(Audit, _judged_for(audited, wanted))


def _of_set(
    weights: str | None, read: Callable[..., Checkpoint], judge: Callable[..., AuditResult], loader: str | None
) -> AuditResult:
    """The audit of the named weights, or of those that the loader takes. read: reads weights with a name. judge: audits
    what was read.
    """

    def of_name(name: str | None) -> AuditResult:
        with one_budget():
            return judge(read(weights=name), whole=name is None)

    audited = of_name(weights)
    if loader is None:
        return audited
    from inspector.auditing.loads.one_loader import of_own_set

    return of_own_set(audited, loader, of_name)


def _judged_for(audited: AuditResult, loader: str | None) -> AuditResult:
    if loader is None:
        return audited
    from inspector.auditing.loads.one_loader import judged_for

    return judged_for(audited, loader)


def _read_more(
    audited: AuditResult,
    values: bool,
    tensors: tuple[str, ...],
    reference: bool,
    progress: Progress | None,
    *,
    sample: bool = False,
) -> AuditResult:
    """The audit with the answers of the reference reader if a file is damaged, and with the requested values; with
    samples of tied copies if no values are requested.
    """
    if reference or values or audited.is_damaged:
        from inspector.auditing.files.reference import with_reference

        audited = with_reference(audited, every=reference or values, requested=reference)
    if values:
        from inspector.auditing.values import with_values

        audited = with_values(audited, tensors, progress)
    elif sample:
        from inspector.auditing.samples import with_samples

        audited = with_samples(audited)
    return audited


def compare(
    source: Source | AuditResult,
    target: Source | AuditResult,
    projector: Source | AuditResult | None = None,
    *,
    expect: str | None = None,
    hashes: bool = False,
    values: bool = False,
    tensors: tuple[str, ...] = (),
    revision: str | None = None,
    subfolder: str | None = None,
    repo_type: str | None = None,
    local_files_only: bool = False,
    cache_dir: str | os.PathLike[str] | None = None,
    token: str | bool | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """
    Compares two checkpoints role by role: the proof of a conversion, or the differences of two models.

    Parameters
    ----------
    source, target:
        As in `audit`, or audits.
    projector:
        llama.cpp's mmproj file, where the target is its file of the text model.
    expect:
        "conversion" makes a different model an error.
    hashes:
        Whether to read all bytes here and compare their SHA-256 with those that a repository states.
    values, tensors:
        Whether to compare the numbers too, and of which tensors alone.
    revision, subfolder, repo_type, local_files_only, cache_dir, token:
        Of the side that is a repository.
    """
    where = {
        "revision": revision,
        "subfolder": subfolder,
        "repo_type": repo_type,
        "local_files_only": local_files_only,
        "cache_dir": cache_dir,
        "token": token,
        "progress": progress,
    }
    one, other = (_side(side, where) for side in (source, target))
    more = None if projector is None else _side(projector, where)
    compared = with_files(compare_audits(one, other, more, expect=expect), hashes=hashes, progress=progress)
    if values or tensors:
        from inspector.comparing.values import compared_with_values

        with access(token, cache_dir):
            compared = compared_with_values(compared, tensors, progress)
    return _as(Comparison, compared)


def _side(side: Source | AuditResult, where: dict[str, Any]) -> AuditResult:
    """The audit of one side. The location options apply only to a repository, not to local paths or
    objects in memory.
    """
    if isinstance(side, AuditResult):
        return side
    remote = isinstance(side, str) and not os.path.exists(side)
    return audit(side, **where) if remote else audit(side)


def formula(
    what: str | os.PathLike[str] | AnyConfig,
    *,
    head: str | None = None,
    config: str | os.PathLike[str] | None = None,
    revision: str | None = None,
    subfolder: str | None = None,
    repo_type: str | None = None,
    local_files_only: bool = False,
    cache_dir: str | os.PathLike[str] | None = None,
    token: str | bool | None = None,
) -> Formula:
    """
    The formula of an architecture's name, a config, or a checkpoint.

    Parameters
    ----------
    what:
        "llama", a path, `org/name`, a dict or a config object.
    head:
        The task class, "ForCausalLM".

    Raises
    ------
    FormulaError
        If the architecture is not supported.

    Examples
    --------
    >>> from inspector import formula
    >>> formula("gpt2").to_dict()["formula"]
    'T*d + V*d + 2*d + L*(4*d^2 + 2*d*ff + 9*d + ff)'
    """
    given = os.fspath(what) if isinstance(what, str | os.PathLike) else inputs.config_of(what)
    place = None if config is None else os.fspath(config)
    with access(token, cache_dir):
        shown = _formula(
            given or "",
            head=head,
            config=place,
            revision=revision,
            subfolder=subfolder,
            repo_type=repo_type,
            cached=local_files_only,
        )
    return _as(Formula, shown)


def explain(code: str) -> str:
    """
    The page of a finding (what it means, why it matters, an example, what to do) or of a topic.

    Parameters
    ----------
    code:
        A code or name of a finding, or a topic: "glossary", "python", "options" ...

    Raises
    ------
    KeyError
        If there is no such finding or topic.

    Examples
    --------
    >>> from inspector import explain
    >>> explain("N403").splitlines()[0]
    'A required tensor is missing.'
    """
    from inspector.cli.topics import TOPICS, topic_text
    from inspector.findings.registry import finding_type, page

    if code in TOPICS:
        return topic_text(code)
    found = finding_type(code)
    if found is None:
        raise KeyError(code)
    return page(found)
