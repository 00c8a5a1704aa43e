"""Audits the modules that modules.json of a sentence encoder lists after the model: their configs, weights and widths.

The tensors of each module: `inspector.loading.sentence_modules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.auditing.pipeline.sentence_settings import settings_of
from inspector.auditing.pipeline.sentence_tensors import WEIGHTS, Problem, problem_of, width_of_table
from inspector.auditing.result import Audit, Skipped
from inspector.auditing.sentence_listing import MODULES, Listed, config_of, folder_of, json_of, listed_modules
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.sentence_modules import (
    BESIDE_TABLES,
    CONFIGS,
    EMPTY,
    LOOKUPS,
    MODELS,
    OF_TOKENS,
    TOKENS,
    is_known,
    key_before,
    keys_for,
    number,
    width_before,
    width_behind,
)
from inspector.loading.tokenizer_files import WHOLE
from inspector.loading.tokenizers import number_of_tokens

if TYPE_CHECKING:
    from inspector.findings.sentence_modules import ModuleMissing

WIDTHS: Final = ("hidden_size", "d_model", "dim")
"""Keys for the width of the hidden states."""
ENCODER: Final = "SentenceTransformer"
"""The class of a whole encoder: sentence-transformers 6.2 and 2.2 save it as a module and do not load it."""


class Widths(Struct, frozen=True):
    """The width of the token embeddings and of the sentence embedding; None if unknown."""

    tokens: int | None = None
    sentence: int | None = None


class ModulesRead(Struct, frozen=True):
    """The findings on the modules, and the checks that were skipped.

    of_module: the audited weights belong to a module that is not a model. explained: all of them are as its config
    states.
    """

    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    explained: bool = False
    of_module: bool = False
    width: int | None = None
    """The width of the sentence embeddings; None if unknown, or if a module does not fit."""


AuditFolder = Callable[[Checkpoint], Audit]
"""Audits one loaded checkpoint."""


def sentence_modules(checkpoint: Checkpoint, audited: Audit, audit_part: AuditFolder) -> ModulesRead:
    """The findings on modules that are absent, lack files, or have other tensors or widths than stated.

    audited: the audit of the weights in this folder or of the model in a subfolder. audit_part: audits further models.
    """
    if MODULES not in checkpoint.siblings or checkpoint.alone or checkpoint.reach is None:
        return ModulesRead()
    listed = listed_modules(checkpoint)
    if isinstance(listed, Finding):
        return ModulesRead((listed,))
    from inspector.findings.sentence_modules import ModuleMissing

    misplaced = [one.folder for one in audited.findings if isinstance(one, ModuleMissing) and one.at_root]
    listed = [one for one in listed if one.path not in misplaced or not one.path]
    read, below = ModulesRead(), _unnamed_folder(checkpoint, listed)
    if below:
        listed = [replace(one, path=below) if one.kind in MODELS and not one.path else one for one in listed]
        problem = 'the "path" of the model is "", and the model is in this folder'
        read = ModulesRead((ModuleMissing(place=Place(file=MODULES), folder=below, problem=problem, below=True),))
    main = _main(checkpoint, listed)
    widths = entered = _of_model(audited)
    for place, one in enumerate(listed):
        entered = widths if one.kind == "Router" else entered
        widths = entered if one.first else widths
        if one.kind == ENCODER and one.path:
            judged, widths = ModulesRead((_encoder_as_module(one),)), Widths()
        elif one.kind in MODELS and "." in one.type_name:
            alone = all(other is one or (other.path and other.kind not in MODELS) for other in listed)
            judged, widths = _model(checkpoint, one, audited if one is main else None, audit_part, alone=alone)
        else:
            judged, widths = _module(checkpoint, listed[place:], widths, audited if one is main else None)
        read = ModulesRead(
            (*read.findings, *judged.findings, *settings_of(checkpoint, one)),
            (*read.skipped, *judged.skipped),
            read.explained or judged.explained,
            read.of_module or judged.of_module,
            widths.sentence,
        )
    return replace(read, width=None) if any(one.severity == "error" for one in read.findings) else read


def _unnamed_folder(checkpoint: Checkpoint, listed: Sequence[Listed]) -> str:
    """The folder of the model under the name that earlier versions of sentence-transformers gave it, where modules.json
    names the folder around it and that has neither a model nor a config; "" if there is none.
    """
    one = next((one for one in listed if one.kind in MODELS and not one.path), None)
    if one is None or checkpoint.readable or checkpoint.config is not None:
        return ""
    name = f"0_{one.kind}"
    part = folder_of(checkpoint, name)
    return name if part is not None and part.readable and part.config is not None else ""


def _main(checkpoint: Checkpoint, listed: Sequence[Listed]) -> Listed | None:
    """The module with the audited weights: the module in the folder of modules.json, or the model.

    If no module is a model, as with static embeddings or a bag of words: the first module with weights.
    """
    at_top = next((one for one in listed if not one.path and one.kind not in EMPTY), None)
    if checkpoint.readable or (at_top is not None and at_top.kind in MODELS):
        return at_top
    models = [one for one in listed if one.kind in MODELS]
    return models[0] if models else next((one for one in listed if one.path and _is_stored(checkpoint, one)), None)


def _is_stored(checkpoint: Checkpoint, one: Listed) -> bool:
    part = folder_of(checkpoint, one.path)
    return part is not None and part.readable


def _of_model(audited: Audit) -> Widths:
    """The width of a model's hidden states; None if its config states a wrong one."""
    config = audited.checkpoint.config
    if config is None or any((one.place.key or "").rpartition(".")[2] in WIDTHS for one in audited.findings):
        return Widths()
    width = number(config.values, *WIDTHS)
    return Widths(width, width)


def _model(
    checkpoint: Checkpoint, one: Listed, main: Audit | None, audit_part: AuditFolder, *, alone: bool
) -> tuple[ModulesRead, Widths]:
    """(findings on a model, the width of its hidden states). main: its audit, if reported elsewhere. alone: no other
    module is a model or has the folder of modules.json.
    """
    if main is not None or not one.path:
        return ModulesRead(), Widths() if main is None else _of_model(main)
    part = folder_of(checkpoint, one.path)
    if part is None or not (part.readable or part.siblings):
        missing = _missing(one, Problem("the folder is absent"))
        if checkpoint.readable and checkpoint.config is not None and main is None and alone:
            missing = replace(missing, problem="the folder is absent, and a model is beside it", above=True)
        return ModulesRead((missing,)), Widths()
    audited = audit_part(part)
    findings = (found.within(one.path, _in_folder(one.path, found.place)) for found in audited.findings)
    skipped = (replace(skip, check=f"{one.path}: {skip.check}") for skip in audited.skipped if skip.decisive)
    return ModulesRead(tuple(findings), tuple(skipped)), _of_model(audited)


def _in_folder(folder: str, place: Place) -> Place:
    return replace(place, file=f"{folder}/{place.file or ''}")


def _module(
    checkpoint: Checkpoint, rest: Sequence[Listed], widths: Widths, main: Audit | None
) -> tuple[ModulesRead, Widths]:
    """(findings on a module that is not a model, the widths after it).

    rest: the module and the modules after it. main: the audit of its weights, if reported elsewhere.
    """
    one = rest[0]
    if "." not in one.type_name:
        return ModulesRead((_without_class(one),)), Widths()
    part = folder_of(checkpoint, one.path)
    if main is not None and part is not None and part.readable and not part.tensors:
        return ModulesRead(), Widths()
    unread = () if part is None else tuple(_not_delivered(one, part))
    if unread:
        return ModulesRead(unread, of_module=main is not None), Widths()
    values = config_of(part, one.kind)
    of_tokens = one.kind in TOKENS or values.get("module_input_name") == "token_embeddings" or one.kind == "Pooling"
    width = widths.tokens if of_tokens else widths.sentence
    problem = problem_of(one.kind, part, values)
    if problem is not None:
        own = main is not None and main.checkpoint.readable
        return ModulesRead((_with_keys(_missing(one, problem), one, part, values, width),), of_module=own), Widths()
    found: tuple[Finding, ...] = tuple(_ignored(one, part))
    known = is_known(one.kind) or one.kind in LOOKUPS
    own = main is not None and known
    explained = own and not found
    skipped = (_unread(one),) if part is not None and part.readable and not (known or one.kind in EMPTY) else ()
    counted = one.kind not in OF_TOKENS or part is None or number_of_tokens(json_of(part, WHOLE)) is not None
    skipped = skipped if counted else (Skipped(f"the rows of {one.path}", f"the tokens of its {WHOLE} were not read"),)
    if width is not None and width_before(one.kind, values) not in (None, width):
        wrong, values = _of_another_width(checkpoint, rest, values, width)
        found, skipped = (*found, wrong), ()
    behind = width_of_table(one.kind, part) if one.kind in LOOKUPS else width_behind(one.kind, values, width)
    if values.get("module_output_name", values.get("module_input_name")) == "token_embeddings":
        return ModulesRead(found, skipped, explained, own), replace(widths, tokens=behind)
    tokens = behind if one.kind in (*TOKENS, *LOOKUPS) else widths.tokens
    return ModulesRead(found, skipped if main is None else (), explained, own), Widths(tokens, behind)


def _not_delivered(one: Listed, part: Checkpoint) -> Iterator[Finding]:
    """The findings on files of a module that the network did not deliver."""
    own = json_of(part, CONFIGS[one.kind]) if one.kind in CONFIGS else None
    found = (*part.findings, *((own,) if isinstance(own, Finding) else ()))
    for unread in dict.fromkeys(finding for finding in found if finding.content_unknown):
        yield unread.within(one.path, _in_folder(one.path, unread.place))


def model_below(checkpoint: Checkpoint) -> Checkpoint | None:
    """The model of a sentence encoder with its files in the folder of a module (`0_Transformer`).

    If no module is a model: the first module with weights. If the weights of a model are lost, this model is chosen.
    """
    if MODULES not in checkpoint.siblings or checkpoint.alone or checkpoint.reach is None or checkpoint.readable:
        return None
    listed = listed_modules(checkpoint)
    main = None if isinstance(listed, Finding) else _main(checkpoint, listed)
    if main is None or isinstance(listed, Finding):
        return None
    path = main.path or _unnamed_folder(checkpoint, listed)
    part = folder_of(checkpoint, path) if path else None
    return part if part is not None and (part.readable or part.config is not None) else None


def _encoder_as_module(one: Listed) -> Finding:
    from inspector.findings.nested_encoder import EncoderAsModule

    return EncoderAsModule(place=Place(file=MODULES), folder=one.path)


def _missing(one: Listed, problem: Problem) -> ModuleMissing:
    """The finding on a module; a module in the folder of modules.json is named by its file."""
    from inspector.findings.sentence_modules import ModuleMissing

    return ModuleMissing(
        place=Place(file=MODULES), folder=one.path or problem.file, problem=problem.words, renames=problem.renames
    )


def _with_keys(
    finding: ModuleMissing, one: Listed, part: Checkpoint | None, values: Mapping[str, Any], width: int | None
) -> ModuleMissing:
    """The finding with the keys of the config to correct, if the weights show them and fit the module before."""
    if part is None or not part.readable or not is_known(one.kind) or not one.path:
        return finding
    keys = keys_for(one.kind, values, {name: stored.shape for name, stored in part.tensors.items()})
    if width is None or width_before(one.kind, {**values, **keys}) not in (None, width):
        return finding
    sizes = tuple((key, values.get(key), size) for key, size in keys.items() if values.get(key) != size)
    return replace(finding, sizes=sizes, config=f"{one.path}/{CONFIGS.get(one.kind, 'config.json')}" if sizes else "")


def _ignored(one: Listed, part: Checkpoint | None) -> Iterator[Finding]:
    """Findings on tensors next to a table that the module does not read."""
    known = {*LOOKUPS.get(one.kind, ()), *BESIDE_TABLES}
    for name, stored in part.tensors.items() if part is not None and one.kind in LOOKUPS else ():
        if name not in known:
            from inspector.findings.names.tensors import TensorUnexpected

            yield TensorUnexpected(
                place=Place(tensor=name, file=f"{one.path}/{WEIGHTS}" if one.path else WEIGHTS), tensors=1,
                elements=stored.elements, bytes=stored.bytes, shape=stored.shape, dtype=stored.dtype, names=(name,),
            )  # fmt: skip


def _without_class(one: Listed) -> ModuleMissing:
    """The finding on a type that lacks the Python module before its class, which `import_from_string` cannot import."""
    from inspector.findings.sentence_modules import ModuleMissing

    return ModuleMissing(
        place=Place(file=MODULES),
        folder=one.path or MODULES,
        problem=f'its type "{one.type_name}" names no class of a package',
        type_name=one.type_name,
    )


def _unread(one: Listed) -> Skipped:
    return Skipped(f"the weights of {one.path}", f"a further module, of kind {one.kind}", decisive=True)


def _of_another_width(
    checkpoint: Checkpoint, rest: Sequence[Listed], values: Mapping[str, Any], width: int
) -> tuple[Finding, Mapping[str, Any]]:
    """(finding on a module with another input width than the output width of the module before it, its corrected
    config).

    rest: the module and the modules after it. A pooling has no weights and takes any width: only its config is wrong,
    unless the next module agrees with it.
    """
    from inspector.findings.sentence_modules import ModuleMissing, PoolingWidthDiffers

    one, stated, key = rest[0], width_before(rest[0].kind, values), str(key_before(rest[0].kind, values))
    right = {**values, key: width}
    behind = (width_before(other.kind, config_of(folder_of(checkpoint, other.path), other.kind)) for other in rest[1:])
    needed = next((found for found in behind if found is not None), None)
    if one.kind == "Pooling" and stated is not None and needed in (None, width_behind(one.kind, right, width)):
        found = PoolingWidthDiffers(place=Place(file=MODULES), folder=one.path, key=key, stated=stated, given=width)
        return found, right
    finding = ModuleMissing(
        place=Place(file=MODULES),
        folder=one.path,
        problem=f"its config.json states a width of {stated}, the module before gives {width}",
        stated=stated,
        given=width,
    )
    return finding, values
